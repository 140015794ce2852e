// Barrier objects, copies that are not waited for, tensor maps: lane by lane.
#include "sim/exec/async/barrier_object.h"
#include "sim/exec/async/transfer.h"
#include "sim/exec/checks/warp_checks.h"
#include "sim/exec/handlers/by_lane.h"
#include "sim/exec/handlers/handlers.h"

namespace heddle::exec {

namespace {

// The time limit of a wait that suspends, in tries.
constexpr uint32_t kMostTries = 4096;

}  // namespace

// In simulated time a wait that may suspend does so, lane for lane, until its phase is complete: it is tried
// again when others have gone on, without a word to the observer.
bool barrier_object(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const BarrierObjectOp& op = w.code.barrier_objects[in.target];
  const Banks b = w.banks(g);
  mask = in.sub == 0 ? mask : mask & -mask;  // of the warp: once
  const Spaces all = w.spaces();
  const Register* operand = b.at(in.s[1]);
  Register* d = b.at(in.d[0]);
  const bool waits = op.kind == BarrierObjectOp::Kind::kWait;
  bool in_vain = false;
  Register objects{}, operands{};
  by_lane(w, g, mask, [&](uint32_t lane) {
    const At object = at({in.s[0], in.offset, op.space}, b, g.local, lane);
    const uint64_t value = operand != nullptr ? (*operand)[lane] : 1;
    objects[lane] = object.address % kSharedWindows;
    operands[lane] = !waits ? value : op.parity ? value & 1 : uint64_t{BarrierObject::unpack(value).parity};
    if (w.checked()) {
      if (const std::string wrong = misuse(w, op, object); !wrong.empty()) {
        throw Fault{wrong};
      }
    }
    const uint64_t result = perform(op, all, lane, object, value);
    if (w.races != nullptr) {
      order_by_object(w, op, object, result);
    }
    in_vain |= waits && result == 0;
    operands[lane] |= waits && !op.suspends && result == 0 ? kInVain : 0;
    if (d != nullptr) {
      (*d)[lane] = result;
    }
  });
  if (w.observer != nullptr && !w.told && op.kind != BarrierObjectOp::Kind::kPendingCount) {
    w.observer->synchronised(*w.block, w.index, g.pc, mask, op.kind, objects, operands);
  }
  w.progress += in_vain ? 0 : 1;
  w.writes += waits ? 0 : 1;
  g.yields = in_vain ? g.yields + 1 : 0;
  w.yields = in_vain && op.suspends;
  w.strong_polls += waits ? 1 : 0;
  g.told = w.yields && w.time != nullptr && g.yields % kMostTries != 0;
  g.pc += g.told ? 0 : 1;
  return true;
}

bool transfer(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const TransferOp& op = w.code.transfers[in.target];
  const Banks b = w.banks(g);
  const Spaces all = w.spaces();
  mask = in.sub == 0 ? mask : mask & -mask;  // of the warp: once
  const bool bulk = op.kind != TransferOp::Kind::kCopy && op.kind != TransferOp::Kind::kStore &&
                    op.kind != TransferOp::Kind::kCheck;
  ++w.progress;
  ++w.writes;
  Register from{}, to{};
  by_lane(w, g, mask, [&](uint32_t lane) {
    const Transfer t = prepare(op, b, g.local, lane);
    from[lane] = op.kind == TransferOp::Kind::kStore ? t.to.address : t.from.address;
    to[lane] = op.kind == TransferOp::Kind::kStore ? t.barrier.address : t.to.address;
    perform(t, all, lane);
    if (w.observer != nullptr && bulk) {
      w.observer->transferred(*w.block, w.index, g.pc, lane, t);
    }
  });
  if (w.observer != nullptr && !bulk) {
    w.observer->accessed(*w.block, w.index, g.pc, mask, from, &to);
  }
  ++g.pc;
  return true;
}

bool map_field(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const MapFieldOp& op = w.code.map_fields[in.target];
  const Banks b = w.banks(g);
  const Spaces all = w.spaces();
  by_lane(w, g, mask, [&](uint32_t lane) {
    replace_field(op, all, lane, at(op.map, b, g.local, lane), (*b.at(op.value))[lane]);
  });
  ++g.pc;
  return true;
}

}  // namespace heddle::exec
