// Modules that compilers made of data/forms.cu.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {
namespace {

size_t count(const Module& m, const Function& f, Opcode opcode) {
  return static_cast<size_t>(std::count_if(f.instrs.begin(), f.instrs.end(),
                                           [&](const Instr& i) { return m.ops[i.op].opcode == opcode; }));
}

const Function& kernel(const Module& m, std::string_view part) {
  const auto it = std::find_if(m.functions.begin(), m.functions.end(), [&](const Function& f) {
    return f.name.find(part) != std::string_view::npos;
  });
  REQUIRE(it != m.functions.end());
  return *it;
}

}  // namespace

TEST_CASE("data: nvcc for sm_90a with lines", "[ptx]") {
  const auto m = load("tests/ptx/data/forms_nvcc.ptx");
  CHECK(m->target.sm == 90);
  CHECK(m->target.suffix == 'a');
  CHECK(m->warnings.empty());
  const Function& reduce = kernel(*m, "reduce");
  CHECK(reduce.signature.parameters.size() == 3);
  CHECK(shared_bytes(*m, reduce) == 1024);
  CHECK(count(*m, reduce, Opcode::kBarSync) == 2);
  CHECK(reduce.loop_pragmas.size() >= 1);
  CHECK(reduce.locs.size() > 10);
  const Function& calls = kernel(*m, "calls");
  CHECK(calls.bounds.max_threads[0] == 128);
  CHECK(calls.bounds.min_blocks == 2);
  CHECK(calls.bounds.required_cluster[0] == 2);
  CHECK(m->variables[calls.signature.parameters[1].id].size == 48);
  CHECK(calls.prototypes.size() == 1);
  CHECK(count(*m, calls, Opcode::kCall) == 2);
  const Function& choose = kernel(*m, "choose");
  CHECK(count(*m, choose, Opcode::kShfl) == 1);
  CHECK(count(*m, choose, Opcode::kVote) == 1);
  CHECK(count(*m, choose, Opcode::kPopc) == 1);
  CHECK(count(*m, choose, Opcode::kClz) == 1);
  CHECK(m->variable("counter")->size == 4);
  const Initial& pointer = m->initials[m->variable("pointer")->initial];
  REQUIRE(pointer.relocations.size() == 1);
  CHECK(pointer.relocations[0].generic);
  CHECK(m->variables[pointer.relocations[0].id].name == "counter");
}

TEST_CASE("data: nvcc for debuggers", "[ptx]") {
  const auto m = load("tests/ptx/data/forms_debug.ptx");
  CHECK(m->debug);
  CHECK(count(*m, kernel(*m, "reduce"), Opcode::kCall) == 1);
}

TEST_CASE("data: clang", "[ptx]") {
  const auto m = load("tests/ptx/data/forms_clang.ptx");
  CHECK(m->target.sm == 80);
  CHECK(count(*m, kernel(*m, "reduce"), Opcode::kBarSync) == 2);
}

}  // namespace heddle::ptx::test
