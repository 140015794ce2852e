#include "sim/sm/tensor/tensor.h"

#include <algorithm>

namespace heddle::sm {

using stats::Counter;

namespace {

constexpr auto kPort = static_cast<uint8_t>(isa::Pipe::kTensor);

TensorArray::Product product(const TimedInstr& t, uint32_t warp, bool ends_group) {
  TensorArray::Product p;
  p.code = t.index;
  p.warp = static_cast<uint8_t>(warp);
  p.ends_group = ends_group;
  p.a_in_registers = t.gmma_a_in_registers;
  p.steps = t.gmma_steps;
  p.period = static_cast<uint16_t>(t.gmma_work / t.gmma_steps);
  const uint32_t worked = uint32_t{p.period} * p.steps;
  p.gap = static_cast<uint16_t>(t.interval - std::min<uint32_t>(t.interval, worked));
  p.tail = static_cast<uint16_t>(t.latency - (worked - p.period));
  return p;
}

}  // namespace

Tensor::Tensor(SmState& sm, QueueRoom& room)
    : sm_(sm), room_(room), arrays_(sm.subcores(), TensorArray(sm.config().tensor())) {}

void Tensor::reset(Cycle) {
  for (TensorArray& a : arrays_) {
    a.reset();
  }
}

Cycle Tensor::start(const Issued& i) {
  const TimedInstr& t = i.instr;
  Warp& w = sm_.warp(i.warp);
  const bool ends_group = !(t.instr->flags & isa::kFlagGroupGoesOn);
  ++w.gmma;
  w.gmma_groups += ends_group;
  sm_.counters()[Counter::kTensorBusy] += t.interval;
  if (w.index % kWarpsPerGroup == 0) {
    sm_.counters()[Counter::kSharedGmmaWavefronts] += t.gmma_wavefronts;  // of the whole warp group
  }
  TensorArray& a = arrays_[i.subcore];
  a.advance(i.now);
  const bool first = a.empty();
  a.enter(product(t, i.warp, ends_group), i.now);
  i.pipe_free = a.free_at();
  const auto subcore = static_cast<uint8_t>(i.subcore);
  if (first) {
    sm_.schedule(a.complete_at(), {UnitEvent::Kind::kGmmaDone, subcore});
  }
  if (a.full()) {
    room_.set_port_full(i.subcore, kPort, true, i.now);
    sm_.schedule(std::max(a.room_at(), i.now + 1), {UnitEvent::Kind::kGmmaRoom, subcore});
  }
  sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, t);
  return 0;
}

void Tensor::event(const UnitEvent& e, Cycle now) {
  const uint32_t subcore = e.warp;
  TensorArray& a = arrays_[subcore];
  a.advance(now);
  if (e.kind == UnitEvent::Kind::kGmmaRoom) {
    if (a.full()) {
      sm_.schedule(std::max(a.room_at(), now + 1), e);
    } else {
      room_.set_port_full(subcore, kPort, false, now);
    }
    return;
  }
  while (!a.empty() && a.complete_at() <= now) {
    const TensorArray::Product p = a.oldest();
    a.leave();
    finish(p, now);
  }
  if (!a.empty()) {
    sm_.schedule(a.complete_at(), e);
  }
}

void Tensor::finish(const TensorArray::Product& p, Cycle now) {
  Warp& w = sm_.warp(p.warp);
  --w.gmma;
  w.gmma_groups -= p.ends_group;
  sm_.result_at(now, p.warp, sm_.kernel(p.warp).code[p.code]);
  sm_.recheck(p.warp, now);
  if (w.draining) {
    sm_.retire_if_drained(p.warp, now);
  }
}

}  // namespace heddle::sm
