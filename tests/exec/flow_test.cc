// What checks ask of a program's control flow: what lies behind what, loops, how a load is meant.
#include "sim/exec/checks/flow.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"

namespace heddle::exec::test {
namespace {

// A kernel's code, and the instructions whose lines begin as they are named: "loop:".
class Text {
 public:
  explicit Text(const std::string& statements)
      : program_(ptx::parse("t.ptx",
                            ".version 8.8 .target sm_90 .address_size 64\n"
                            ".shared .align 4 .b32 v[4];\n.func f() {\nret; }\n.entry k() {\n"
                            ".reg .b32 %r<8>; .reg .pred %p<4>; mov.u32 %r1, %tid.x; call f, ();\n" +
                                statements + "\nend: ret; }\n"),
                 memory_),
        code_(program_.launch(program_.kernel("k")).code) {}
  const Code& code() const { return *code_; }
  // The first instruction of the n-th line of the statements, from 0 on.
  uint32_t at(uint32_t line) const {
    constexpr uint32_t kBefore = 7;
    for (uint32_t pc = 0; pc < code_->insts.size(); ++pc) {
      if (code_->lines[pc] == kBefore + line) {
        return pc;
      }
    }
    throw std::runtime_error("no instruction in this line");
  }

 private:
  Memory memory_;
  ptx::Program program_;
  const Code* code_;
};

}  // namespace

TEST_CASE("a loop is from its head to its branch back, and no instruction around it") {
  const Text t(
      "add.u32 %r2, %r1, 1;\n"            // 0
      "loop: add.u32 %r2, %r2, 1;\n"      // 1
      "@%p1 bra skip;\n"                  // 2
      "add.u32 %r2, %r2, 2;\n"            // 3
      "skip: setp.lt.u32 %p2, %r2, 9;\n"  // 4
      "@%p2 bra loop;\n"                  // 5
      "add.u32 %r3, %r2, 1;");            // 6
  Flow flow(t.code());
  for (const uint32_t line : {0U, 1U, 2U, 3U, 4U, 5U, 6U}) {
    CAPTURE(line);
    CHECK(flow.in_loop(t.at(5), t.at(line)) == (line >= 1 && line <= 5));
    CHECK_FALSE(flow.in_loop(t.at(2), t.at(line)));  // leads forward
  }
}

TEST_CASE(
    "what an instruction reaches, and what comes behind it in any case: to the function's first and last") {
  const Text t(
      "@%p1 bra other;\n"              // 0
      "add.u32 %r2, %r1, 1;\n"         // 1
      "bra both;\n"                    // 2
      "other: add.u32 %r2, %r1, 2;\n"  // 3
      "both: add.u32 %r3, %r2, 1;");   // 4
  Flow flow(t.code());
  const uint32_t first = t.code().functions[t.code().entry].first;
  CHECK(flow.reaches(first, t.at(4)));
  CHECK(flow.always_follows(t.at(4), first));
  CHECK_FALSE(flow.reaches(t.at(4), first));
  CHECK(flow.reaches(t.at(0), t.at(1)));
  CHECK(flow.reaches(t.at(0), t.at(3)));
  CHECK_FALSE(flow.always_follows(t.at(1), t.at(0)));
  CHECK_FALSE(flow.always_follows(t.at(3), t.at(0)));
  CHECK(flow.always_follows(t.at(4), t.at(0)));
  CHECK(flow.always_follows(t.at(4), t.at(3)));
  CHECK_FALSE(flow.reaches(t.at(1), t.at(3)));
  CHECK_FALSE(flow.reaches(t.at(3), t.at(3)));  // there is no loop
  // Another function is not asked about.
  REQUIRE(t.code().functions.size() == 2);
  const uint32_t other = t.code().functions[1 - t.code().entry].first;
  CHECK_FALSE(flow.reaches(other, t.at(4)));
  CHECK_FALSE(flow.always_follows(t.at(4), other));
}

TEST_CASE("a load polls when its loop only looks, at the same place") {
  const auto use_of = [](const std::string& before, const std::string& behind) {
    const Text t("loop: " + before + "\nld.shared.u32 %r2, [v];\n" + behind +
                 " setp.ne.u32 %p2, %r2, 0; @%p2 bra loop;");
    return load_use(t.code(), t.at(1));
  };
  CHECK(use_of("mov.u32 %r3, 1;", "") == LoadUse::kPolls);
  CHECK(use_of("mov.u32 %r3, 1;", "add.u32 %r4, %r2, 1;") == LoadUse::kPolls);
  // The loop stores: before what it loads, or behind.
  CHECK(use_of("st.shared.u32 [v+4], %r1;", "") == LoadUse::kPlain);
  CHECK(use_of("mov.u32 %r3, 1;", "st.shared.u32 [v+4], %r1;") == LoadUse::kPlain);
  CHECK(use_of("bar.sync 0;", "") == LoadUse::kPlain);
  // It looks at another place each time.
  const auto moves = [](const std::string& statement) {
    const Text t("loop: " + statement +
                 "\nld.shared.u32 %r2, [%r5];\nsetp.ne.u32 %p2, %r2, 0; @%p2 bra loop;");
    return load_use(t.code(), t.at(1));
  };
  CHECK(moves("add.u32 %r4, %r4, 4;") == LoadUse::kPolls);
  CHECK(moves("add.u32 %r5, %r5, 4;") == LoadUse::kPlain);
  // No loop, and one that begins behind the load.
  const Text once("ld.shared.u32 %r2, [v]; setp.ne.u32 %p2, %r2, 0; @%p2 bra end; mov.u32 %r3, 1;");
  CHECK(load_use(once.code(), once.at(0)) == LoadUse::kPlain);
  const Text behind("ld.shared.u32 %r2, [v];\nl: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @%p2 bra l;");
  CHECK(load_use(behind.code(), behind.at(0)) == LoadUse::kPlain);
}

TEST_CASE("a load whose value is compared with is half of an atomic operation") {
  const Text t(
      "ld.shared.u32 %r2, [v];\n"
      "add.u32 %r3, %r2, 1; atom.shared.cas.b32 %r4, [v], %r2, %r3;\n"
      "ld.shared.u32 %r2, [v];\n"
      "add.u32 %r3, %r2, 1; atom.shared.cas.b32 %r4, [v], %r1, %r3;");
  CHECK(load_use(t.code(), t.at(0)) == LoadUse::kOfAtomic);
  CHECK(load_use(t.code(), t.at(2)) == LoadUse::kPlain);  // a new value made of it is none
}

}  // namespace heddle::exec::test
