// The table of instructions, row by row.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "frontends/ptx/form.h"
#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {
namespace {

constexpr Target kNewest = {90, 100, 'a'};

// The first word of each slot that must be filled; with `all`, of each.
std::string sample(const Form& form, bool all) {
  std::string text(words(form.row->opcode));
  for (const Slot& slot : form.slots) {
    if (all || !slot.optional) {
      std::string word(slot.words.front());
      if (const size_t star = word.find('*'); star != std::string::npos) {
        word.replace(star, 1, "64");
      }
      text += "." + word;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("forms: every operation has a row, every row decodes to itself", "[ptx]") {
  CHECK(all_forms().size() > 450);
  for (int i = 0; i < kOpcodeCount; ++i) {
    INFO(words(static_cast<Opcode>(i)));
    CHECK_FALSE(forms_of(static_cast<Opcode>(i)).empty());
    const auto found = opcode_of(words(static_cast<Opcode>(i)));
    REQUIRE(found);
    CHECK(found->opcode == static_cast<Opcode>(i));
  }
  for (const Form& form : all_forms()) {
    Target target = kNewest;
    target.sm = form.row->sm >= kOnly ? static_cast<uint16_t>(form.row->sm % kOnly) : target.sm;
    for (const bool all : {false, true}) {
      const std::string text = sample(form, all);
      INFO(text << " # " << form.row->operands);
      const Decoded d = decode(text, target);
      CHECK(d.error == "");
      CHECK(std::any_of(d.candidates.begin(), d.candidates.end(),
                        [&](const Op& op) { return op.form == &form; }));
    }
  }
}

TEST_CASE("forms: every word of every row fills its field", "[ptx]") {
  for (const Form& form : all_forms()) {
    for (const Slot& slot : form.slots) {
      for (const std::string_view word : slot.words) {
        INFO(words(form.row->opcode) << " ." << word);
        Op op;
        CHECK((word.find('*') != std::string_view::npos || set_field(op, slot.field, word)));
      }
    }
  }
}

TEST_CASE("forms: modifiers are a set, types keep their order", "[ptx]") {
  const auto a = one("ld.v2.nc.f32.L1::no_allocate.global.L2::128B {%f1, %f2}, [%rd1];");
  CHECK(a.op->has(Flag::kNc));
  CHECK(int{a.op->vector} == 2);
  CHECK(a.op->space == Space::kGlobal);
  CHECK(a.op->l1 == Evict::kNoAllocate);
  CHECK(a.op->l2_prefetch == 128);
  CHECK(a.op->type() == Type::kF32);
  const auto b = one("cvt.f32.rn.s32 %f1, %r1;");
  CHECK(b.op->types[0] == Type::kF32);
  CHECK(b.op->types[1] == Type::kS32);
  const auto c = one("add .ftz .f32 %f1, %f2, %f3;");
  CHECK(c.op->has(Flag::kFtz));
  CHECK(c.op->text == "add.ftz.f32");
}

TEST_CASE("forms: what is wrong with an instruction's words", "[ptx]") {
  CHECK(error_of("ad.u32 %r1, %r2, %r3;") ==
        "1: unknown instruction 'ad.u32' (legal: add, and, ld, mad, sad)");
  CHECK(error_of("frobnicate %r1;") ==
        "1: unknown instruction 'frobnicate' (legal: an operation of PTX 9.0 such as add, ld, setp, bra)");
  CHECK(error_of("mbarrier.go.b64 [%rd1];") ==
        "1: unknown instruction 'mbarrier.go.b64' (legal: mbarrier.arrive, mbarrier.arrive_drop, "
        "mbarrier.complete_tx, "
        "mbarrier.expect_tx, mbarrier.init, mbarrier.inval, mbarrier.pending_count, mbarrier.test_wait, "
        "mbarrier.try_wait)");
  CHECK(error_of("brev.u32 %r1, %r2;") == "5: '.u32' is no modifier of 'brev' (legal: .b32, .b64)");
  CHECK(error_of("shf.l.b32 %r1, %r2, %r3, %r4;") ==
        "10: 'shf.l.b32' lacks a modifier (legal: .clamp, .wrap)");
  CHECK(error_of("mul.s32 %r1, %r2, %r3;") == "8: 'mul.s32' lacks a modifier (legal: .lo, .hi, .wide)");
  CHECK(error_of("popc.b32.b32 %r1, %r2;") == "9: '.b32' is no modifier of 'popc.b32' (legal: none)");
  CHECK(error_of("clusterlaunchcontrol.query_cancel [%r1];") ==
        "1: 'clusterlaunchcontrol.query_cancel' is for sm_100 and later (legal: PTX for sm_50 to sm_90a)");
  CHECK(error_of("redux.sync.add.s32 %r1, %r2, %r3;", "6.5", "sm_70") ==
        "1: 'redux.sync.add.s32' is not in this module's language (legal: from .version 7.0 and .target "
        "sm_80; the "
        "module has .version 6.5, .target sm_70)");
  CHECK(error_of("wgmma.fence.sync.aligned;", "8.0", "sm_90") ==
        "1: 'wgmma.fence.sync.aligned' is not in this module's language (legal: from .version 8.0 and "
        ".target sm_90a; "
        "the module has .version 8.0, .target sm_90)");
  CHECK(error_of("tcgen05.wait::ld.sync.aligned;", "8.6", "sm_90a") ==
        "1: 'tcgen05.wait::ld.sync.aligned' is not in this module's language (legal: from .version 8.6 and "
        ".target sm_100a; the module has .version 8.6, .target sm_90a)");
  CHECK(error_of("tcgen05.wait::ld.sync.aligned;", "8.6", "sm_120a") ==
        "1: 'tcgen05.wait::ld.sync.aligned' is not in this module's language (legal: from .version 8.6 and "
        ".target sm_100a; the module has .version 8.6, .target sm_120a)");
  CHECK(error_of("tcgen05.wait::ld.sync.aligned;", "8.8", "sm_103f") == "");
  CHECK(error_of("add.u32 %r1, %r2;") == "1: wrong operands of 'add.u32' (legal: d, source, source)");
  CHECK(error_of("add.u32 %r1, %r2, %r3, %r4;") ==
        "24: wrong operands of 'add.u32' (legal: d, source, source)");
  CHECK(error_of("add.u32 %r1|%p1, %r2, %r3;") ==
        "9: wrong operands of 'add.u32' (legal: d, source, source)");
}

}  // namespace heddle::ptx::test
