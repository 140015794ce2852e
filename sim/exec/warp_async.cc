// Barrier objects, copies that are not waited for, tensor maps: lane by lane.
#include "sim/exec/async/barrier_object.h"
#include "sim/exec/async/transfer.h"
#include "sim/exec/by_lane.h"
#include "sim/exec/cluster.h"
#include "sim/exec/warp.h"

namespace heddle::exec {

namespace {

// The time limit of a wait that suspends, in tries.
constexpr uint32_t kMostTries = 4096;

}  // namespace

// In simulated time a wait that may suspend does so, lane for lane, until its phase is complete: it is tried
// again when others have gone on, without a word to the observer.
bool Warp::barrier_object(Group& g, const Inst& in, uint32_t mask, bool told) {
  const BarrierObjectOp& op = code_.barrier_objects[in.target];
  const Banks b = banks(g);
  mask = in.sub == 0 ? mask : mask & -mask;  // of the warp: once
  const Spaces all = spaces();
  const Register* operand = b.at(in.s[1]);
  Register* d = b.at(in.d[0]);
  const bool waits = op.kind == BarrierObjectOp::Kind::kWait;
  bool in_vain = false;
  Register objects{}, operands{};
  by_lane(g, mask, [&](uint32_t lane) {
    const At object = at({in.s[0], in.offset, op.space}, b, g.local, lane);
    const uint64_t value = operand != nullptr ? (*operand)[lane] : 1;
    objects[lane] = object.address % kSharedWindows;
    operands[lane] = !waits ? value : op.parity ? value & 1 : uint64_t{BarrierObject::unpack(value).parity};
    if (block_.checked()) {
      if (const std::string wrong = misuse(op, object); !wrong.empty()) {
        throw Fault{wrong};
      }
    }
    const uint64_t result = perform(op, all, lane, object, value);
    if (Races* races = block_.races()) {
      order_by_object(*races, op, object, result);
    }
    in_vain |= waits && result == 0;
    operands[lane] |= waits && !op.suspends && result == 0 ? kInVain : 0;
    if (d != nullptr) {
      (*d)[lane] = result;
    }
  });
  if (observer_ != nullptr && !told && op.kind != BarrierObjectOp::Kind::kPendingCount) {
    observer_->synchronised(block_, index_, g.pc, mask, op.kind, objects, operands);
  }
  progress_ += in_vain ? 0 : 1;
  writes_ += waits ? 0 : 1;
  g.yields = in_vain ? g.yields + 1 : 0;
  yields_ = in_vain && op.suspends;
  strong_polls_ += waits ? 1 : 0;
  g.told = yields_ && time_ != nullptr && g.yields % kMostTries != 0;
  return !g.told;
}

void Warp::transfer(const Group& g, const Inst& in, uint32_t mask) {
  const TransferOp& op = code_.transfers[in.target];
  const Banks b = banks(g);
  const Spaces all = spaces();
  mask = in.sub == 0 ? mask : mask & -mask;  // of the warp: once
  const bool bulk = op.kind != TransferOp::Kind::kCopy && op.kind != TransferOp::Kind::kStore &&
                    op.kind != TransferOp::Kind::kCheck;
  ++progress_;
  ++writes_;
  Register from{}, to{};
  by_lane(g, mask, [&](uint32_t lane) {
    const Transfer t = prepare(op, b, g.local, lane);
    from[lane] = op.kind == TransferOp::Kind::kStore ? t.to.address : t.from.address;
    to[lane] = op.kind == TransferOp::Kind::kStore ? t.barrier.address : t.to.address;
    perform(t, all, lane);
    if (observer_ != nullptr && bulk) {
      observer_->transferred(block_, index_, g.pc, lane, t);
    }
  });
  if (observer_ != nullptr && !bulk) {
    observer_->accessed(block_, index_, g.pc, mask, from, &to);
  }
}

void Warp::map_field(const Group& g, const Inst& in, uint32_t mask) {
  const MapFieldOp& op = code_.map_fields[in.target];
  const Banks b = banks(g);
  const Spaces all = spaces();
  by_lane(g, mask, [&](uint32_t lane) {
    replace_field(op, all, lane, at(op.map, b, g.local, lane), (*b.at(op.value))[lane]);
  });
}

}  // namespace heddle::exec
