#include "frontends/sass/async_op.h"

#include "frontends/sass/opcode_table.h"

namespace heddle::sass {

using isa::AsyncKind;
using isa::SyncsForm;

namespace {

// Directions stand as two modifiers: destination, then source.
AsyncKind kind_of(std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  const auto says = [&](std::string_view text) { return opcode.find(text) != opcode.npos; };
  if (base == "UBLKCP") {
    return says(".S.S")   ? AsyncKind::kBulkShared
           : says(".G.S") ? AsyncKind::kBulkStore
                          : AsyncKind::kBulkLoad;
  }
  if (base == "UBLKRED") {
    return says(".S.S") ? AsyncKind::kBulkShared : AsyncKind::kBulkReduce;
  }
  return base == "UBLKPF"         ? AsyncKind::kBulkPrefetch
         : base == "UTMALDG"      ? AsyncKind::kTensorLoad
         : base == "UTMASTG"      ? AsyncKind::kTensorStore
         : base == "UTMAREDG"     ? AsyncKind::kTensorReduce
         : base == "UTMAPF"       ? AsyncKind::kTensorPrefetch
         : base == "UTMACMDFLUSH" ? AsyncKind::kFlush
         : base == "UTMACCTL"     ? AsyncKind::kControl
                                  : AsyncKind::kNone;
}

}  // namespace

isa::AsyncOp async_op(std::string_view opcode) {
  isa::AsyncOp op;
  op.kind = kind_of(opcode);
  for_each_modifier(opcode, [&](std::string_view t) {
    op.im2col |= t == "IM2COL";
    op.multicast |= t == "MULTICAST";
    if (t.size() == 2 && t[0] >= '1' && t[0] <= '5' && t[1] == 'D') {
      op.dimensions = static_cast<uint8_t>(t[0] - '0');
    }
  });
  return op;
}

// A<arrivals>T<bytes>: R from the operand, X bytes that have come; without it one arrival that expects bytes.
SyncsForm syncs_form(std::string_view opcode) {
  SyncsForm f;
  const auto has = [&](std::string_view m) { return has_modifier(opcode, m); };
  if (base_of(opcode) == "ARRIVES") {
    f.kind = SyncsForm::Kind::kArriveCopies;
  } else if (has("EXCH")) {
    f.kind = SyncsForm::Kind::kInit;
  } else if (has("CCTL")) {
    f.kind = SyncsForm::Kind::kInvalidate;
  } else if (has("PHASECHK")) {
    f.kind = SyncsForm::Kind::kWait;
  } else if (has("ARRIVE")) {
    f.kind = SyncsForm::Kind::kArrive;
    f.arrivals_in_operand = has("ART0");
    f.arrivals = has("A0TR") || has("A0TX") || has("A0T1") || f.arrivals_in_operand ? 0 : 1;
    f.bytes = has("A1T0") || f.arrivals_in_operand ? SyncsForm::Bytes::kNone
              : has("A0TX")                        ? SyncsForm::Bytes::kComplete
                                                   : SyncsForm::Bytes::kExpect;
  }
  return f;
}

}  // namespace heddle::sass
