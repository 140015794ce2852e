// All side files of the silicon captures, where this checkout has them beside it (../shared/hw/h200/traces,
// or $HEDDLE_SHARED/hw/h200/traces): no opcode is unknown, and the reuse bits of every encoding agree with
// the .reuse marks of its text. Passes without checking anything where they are absent.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "frontends/sass/operand.h"
#include "frontends/sass/side_file.h"

namespace heddle::sass {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> side_files() {
  std::vector<fs::path> roots;
  if (const char* shared = std::getenv("HEDDLE_SHARED")) {
    roots.emplace_back(shared);
  }
  // A test runs in a tree of links; the source tree is where this file's link points.
  std::error_code ec;
  const fs::path here = fs::canonical("tests/sass/corpus_test.cc", ec);
  if (!ec) {
    roots.push_back(here.parent_path() / "../../../shared");
  }
  std::vector<fs::path> files;
  for (const fs::path& root : roots) {
    const fs::path traces = root / "hw/h200/traces";
    if (!files.empty() || !fs::is_directory(traces, ec)) {
      continue;
    }
    for (const auto& d : fs::directory_iterator(traces)) {
      if (fs::exists(d.path() / "kernel-1.sass", ec)) {
        files.push_back(d.path() / "kernel-1.sass");
      }
    }
  }
  return files;
}

// Slots of the vector registers that the text marks .reuse, as the reuse bits count them; 0x80 when a marked
// register is not among the sources.
uint8_t marked_slots(const isa::Instr& in, const std::string& text) {
  const TextInstruction t = parse_instruction(text);
  std::vector<RegisterName> named;
  for (size_t i = 0; i < t.operands.size(); ++i) {
    for (int r = 0; r < t.operands[i].n_reg; ++r) {
      if (t.operands[i].reg[r].file == isa::RegFile::kGpr && !t.operands[i].reg[r].zero) {
        named.push_back(t.operands[i].reg[r]);
      }
    }
  }
  uint8_t bits = 0;
  size_t at = named.size();  // the sources are the last registers named
  for (int i = in.n_src - 1; i >= 0; --i) {
    if (in.src[i].file != isa::RegFile::kGpr) {
      continue;
    }
    if (at == 0 || named[--at].index != in.src[i].index) {
      return 0x80;
    }
    bits |= named[at].reuse ? static_cast<uint8_t>(1u << in.src[i].slot) : 0;
  }
  return bits;
}

}  // namespace

TEST_CASE("captures: every opcode known, reuse bits agree with the text", "[sass]") {
  const std::vector<fs::path> files = side_files();
  if (files.empty()) {
    WARN("no captures beside this checkout: nothing checked");
    return;
  }
  CHECK(files.size() == 57);
  size_t instructions = 0, reused = 0;
  for (const fs::path& p : files) {
    INFO(p.string());
    for (const Function& f : read_side_file(p)) {
      CHECK(f.has_control);
      CHECK(f.unknown_opcodes.empty());
      instructions += f.code.size();
      for (size_t i = 0; i < f.code.size(); ++i) {
        const isa::Instr& in = f.code[i];
        if (in.ctl.reuse != marked_slots(in, f.text[i])) {
          FAIL_CHECK(f.text[i] << ": reuse bits " << int{in.ctl.reuse});
        }
        reused += in.ctl.reuse != 0;
        // Stalls of 12 and more come with a yield, stalls of 1 without.
        CHECK((in.ctl.stall < 12 || in.ctl.yield));
        CHECK((in.ctl.stall != 1 || !in.ctl.yield));
        CHECK((in.ctl.stall != 0 || in.ctl.yield));
      }
    }
  }
  CHECK(instructions == 10392);
  CHECK(reused > 500);
}

}  // namespace heddle::sass
