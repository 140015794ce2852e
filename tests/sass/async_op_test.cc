// What the opcodes of asynchronous copies and of barrier objects say: the forms that compilers write for
// sm_90.
#include "frontends/sass/async_op.h"

#include <catch2/catch.hpp>
#include <string>

#include "frontends/sass/opcode_table.h"

namespace heddle::sass {
namespace {

using isa::AsyncKind;
using isa::AsyncOp;
using isa::SyncsForm;
using Kind = SyncsForm::Kind;
using Bytes = SyncsForm::Bytes;

TEST_CASE("bulk copies: destination, then source, as two modifiers", "[sass]") {
  struct Case {
    const char* opcode;
    AsyncOp op;
  };
  const Case cases[] = {
      {"UBLKCP.S.G", {AsyncKind::kBulkLoad}},
      {"UBLKCP.S.G.MULTICAST", {AsyncKind::kBulkLoad, 0, false, true}},
      {"UBLKCP.G.S", {AsyncKind::kBulkStore}},
      {"UBLKCP.S.S", {AsyncKind::kBulkShared}},
      {"UBLKRED.G.S.ADD", {AsyncKind::kBulkReduce}},
      {"UBLKRED.G.S.ADD.F16.RN", {AsyncKind::kBulkReduce}},
      {"UBLKRED.S.S.ADD", {AsyncKind::kBulkShared}},
      {"UBLKPF.L2", {AsyncKind::kBulkPrefetch}},
      {"UBLKPF", {AsyncKind::kBulkPrefetch}},
      {"UTMACMDFLUSH", {AsyncKind::kFlush}},
      {"UTMACCTL.PF", {AsyncKind::kControl}},
      {"UTMACCTL.IV", {AsyncKind::kControl}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.opcode);
    CHECK(async_op(c.opcode) == c.op);
    CHECK(classify(c.opcode).op == isa::OpClass::kBulkCopy);
  }
}

TEST_CASE("tensor copies of one to five dimensions, with im2col and multicast", "[sass]") {
  for (uint8_t d = 1; d <= 5; ++d) {
    const std::string dims = "." + std::to_string(d) + "D";
    CAPTURE(dims);
    CHECK(async_op("UTMALDG" + dims) == AsyncOp{AsyncKind::kTensorLoad, d});
    CHECK(async_op("UTMALDG" + dims + ".MULTICAST") == AsyncOp{AsyncKind::kTensorLoad, d, false, true});
    CHECK(async_op("UTMALDG" + dims + ".IM2COL") == AsyncOp{AsyncKind::kTensorLoad, d, true});
    CHECK(async_op("UTMALDG" + dims + ".IM2COL.MULTICAST") == AsyncOp{AsyncKind::kTensorLoad, d, true, true});
    CHECK(async_op("UTMASTG" + dims) == AsyncOp{AsyncKind::kTensorStore, d});
    CHECK(async_op("UTMASTG" + dims + ".IM2COL") == AsyncOp{AsyncKind::kTensorStore, d, true});
    CHECK(async_op("UTMAREDG" + dims + ".ADD") == AsyncOp{AsyncKind::kTensorReduce, d});
    CHECK(async_op("UTMAREDG" + dims + ".ADD.IM2COL") == AsyncOp{AsyncKind::kTensorReduce, d, true});
    CHECK(async_op("UTMAPF.L2" + dims) == AsyncOp{AsyncKind::kTensorPrefetch, d});
    CHECK(async_op("UTMAPF.L2" + dims + ".IM2COL") == AsyncOp{AsyncKind::kTensorPrefetch, d, true});
    CHECK(classify("UTMALDG" + dims).op == isa::OpClass::kBulkCopy);
  }
}

TEST_CASE("what is no asynchronous copy", "[sass]") {
  for (const char* opcode : {"LDG.E.128", "SYNCS.EXCH.64", "UBLKSOMETHING.S.G", "UTMALD", "TEX.2D", ""}) {
    CAPTURE(opcode);
    CHECK(async_op(opcode).kind == AsyncKind::kNone);
  }
}

TEST_CASE("operations on barrier objects", "[sass]") {
  struct Case {
    const char* opcode;
    SyncsForm form;
  };
  const Case cases[] = {
      {"SYNCS.EXCH.64", {Kind::kInit}},
      {"SYNCS.CCTL.IV", {Kind::kInvalidate}},
      {"SYNCS.PHASECHK.TRANS64.TRYWAIT", {Kind::kWait}},
      {"SYNCS.PHASECHK.TRANS64", {Kind::kWait}},
      // mbarrier.arrive.expect_tx, .arrive, .expect_tx, .complete_tx, .arrive with a count, and of other
      // blocks.
      {"SYNCS.ARRIVE.TRANS64", {Kind::kArrive, Bytes::kExpect, 1}},
      {"SYNCS.ARRIVE.TRANS64.A1T0", {Kind::kArrive, Bytes::kNone, 1}},
      {"SYNCS.ARRIVE.TRANS64.RED.A0TR", {Kind::kArrive, Bytes::kExpect, 0}},
      {"SYNCS.ARRIVE.TRANS64.RED.A0TX", {Kind::kArrive, Bytes::kComplete, 0}},
      {"SYNCS.ARRIVE.TRANS64.ART0", {Kind::kArrive, Bytes::kNone, 0, true}},
      {"SYNCS.ARRIVE.TRANS64.RED.ART0", {Kind::kArrive, Bytes::kNone, 0, true}},
      {"SYNCS.ARRIVE.TRANS64.RED.A1T0", {Kind::kArrive, Bytes::kNone, 1}},
      {"SYNCS.ARRIVE.TRANS64.RED", {Kind::kArrive, Bytes::kExpect, 1}},
      {"ARRIVES.LDGSTSBAR.64", {Kind::kArriveCopies}},
      {"ARRIVES.LDGSTSBAR.64.ARVCNT", {Kind::kArriveCopies}},
      {"ARRIVES.LDGSTSBAR.64.TRANSCNT", {Kind::kArriveCopies}},
      {"SYNCS.ARRIVE.TRANS64.RED.A0T1", {Kind::kArrive, Bytes::kExpect, 0}},
      {"SYNCS.WHATEVER", {Kind::kOther}},
      {"SYNCS", {Kind::kOther}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.opcode);
    CHECK(syncs_form(c.opcode) == c.form);
    CHECK(classify(c.opcode).op == isa::OpClass::kMbarrier);
  }
}

}  // namespace
}  // namespace heddle::sass
