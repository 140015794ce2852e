// The tensor array of a sub-core: it works through products of warp groups in steps of eight columns, and
// each step takes the sub-core's issue port for some cycles, as its accumulators are read and written there
// (tools/microbench/FINDINGS.md 60). Nobody is woken for a step: what has happened since is worked out when
// somebody looks, so `now` never goes back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"
#include "sim/sm/code/timed_instr.h"

namespace heddle::sm {

class TensorArray {
 public:
  static constexpr uint32_t kMaxProducts = 32;  // in the array: waiting, under way, or on their way out

  struct Product {
    uint32_t code = 0;  // of the instruction
    uint8_t warp = 0;
    bool ends_group = false, a_in_registers = false;
    uint16_t steps = 1, begun = 0;
    uint16_t period = 0;  // from step to step
    uint16_t gap = 0;     // and so much more to the next product's first
    uint16_t tail = 0;    // from the last step's begin to the result
    Cycle entered = 0, last = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(code, warp, ends_group, a_in_registers, steps, begun, period, gap, tail, entered, last);
      ar.check(steps > 0 && begun <= steps, "a product with more steps than it has");
    }
  };

  explicit TensorArray(const spec::TensorCore& t)
      : port_cycles_(t.gmma_port_cycles()),
        stream_(t.gmma_stream()),
        queue_(t.gmma_queue() ? t.gmma_queue() : kMaxProducts),
        turns_(t.gmma_turns()),
        register_turns_(t.gmma_register_turns()),
        step_data_(t.gmma_step_data()),
        operand_data_(t.gmma_operand_data()) {}

  void reset() {
    head_ = stepping_ = end_ = 0;
    due_ = others_until_ = port_until_ = 0;
    steps_ = 0;
    data_ = 0;
    data_from_ = 0;
  }

  bool idle() const { return stepping_ == end_; }
  bool empty() const { return head_ == end_; }
  // No other product may enter.
  bool full() const { return end_ - stepping_ >= queue_ || end_ - head_ >= kMaxProducts; }
  void enter(const Product& p, Cycle now) {
    Product& mine = at(end_++);
    mine = p;
    mine.entered = now;
    if (stepping_ + 1 == end_) {
      due_ = std::max(due_, now);
      if (due_ == now) {
        begin(now, 1);
      }
    }
  }

  // Steps that were due before `now` have begun, since nobody else was at the port.
  void advance(Cycle now) {
    while (!idle() && next_step() < now) {
      const Cycle first = next_step();
      Product& p = at(stepping_);
      const Cycle more = p.period ? (now - 1 - first) / p.period : kMaxProducts;
      begin(first, static_cast<uint32_t>(std::min<Cycle>(p.steps - p.begun, 1 + more)));
    }
  }
  // Whether a step wants the port then.
  bool wants(Cycle now) const { return !idle() && port_cycles_ > 0 && next_step() <= now; }
  void take(Cycle now) { begin(now, 1); }
  // Until when the last step has it.
  Cycle port_until() const { return port_until_; }
  // Others have it.
  void others_have(Cycle until) { others_until_ = port_cycles_ ? until : 0; }
  // Steps that have begun, of all products.
  uint64_t steps() const { return steps_; }
  // A warp issues every cycle when it has done so that often.
  uint32_t stream() const { return stream_; }
  // Instructions that a warp which issues every cycle gets in before the step that is due.
  uint32_t turns() const {
    const Product& p = at(stepping_);
    return ((p.a_in_registers ? register_turns_ : turns_) + (p.begun & 1)) / 2;
  }

  // When the array takes its next product at the earliest, as things are.
  Cycle free_at() const {
    Cycle t = due_;
    for (uint32_t i = stepping_; i != end_; ++i) {
      const Product& p = at(i);
      t += Cycle{p.period} * (p.steps - p.begun) + p.gap;
    }
    return t;
  }
  // When there will be room, or nobody will have to wait for it: to look then.
  Cycle room_at() const {
    if (idle()) {
      return complete_at();
    }
    return next_step() + Cycle{at(stepping_).period} * (at(stepping_).steps - at(stepping_).begun - 1) + 1;
  }
  // Of the oldest product: when it is complete, or will be at the earliest.
  Cycle complete_at() const {
    const Product& p = at(head_);
    return p.begun == p.steps ? p.last + p.tail
                              : next_step() + Cycle{p.period} * (p.steps - p.begun - 1) + p.tail;
  }
  const Product& oldest() const { return at(head_); }
  void leave() { ++head_; }

  // Half cycles of shared memory's data array that the operands of the steps since the last call have taken,
  // and when the last of them began.
  struct Data {
    uint32_t half_cycles;
    Cycle last;
  };
  Data take_data() {
    const Data d = {data_, data_from_};
    data_ = 0;
    return d;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(products_, head_, stepping_, end_, due_, others_until_, port_until_, steps_, data_, data_from_);
    ar.check(end_ - head_ <= kMaxProducts && stepping_ - head_ <= end_ - head_, "too many products");
  }

 private:
  Product& at(uint32_t i) { return products_[i % kMaxProducts]; }
  const Product& at(uint32_t i) const { return products_[i % kMaxProducts]; }
  Cycle next_step() const { return std::max(due_, others_until_); }

  // So many steps of the product begin, the first at `first`, as fast as they can.
  void begin(Cycle first, uint32_t n) {
    Product& p = at(stepping_);
    if (!p.a_in_registers && p.begun == 0) {
      data_ += operand_data_;
    }
    data_ += n * step_data_;
    p.begun = static_cast<uint16_t>(p.begun + n);
    steps_ += n;
    data_from_ = p.last = first + Cycle{p.period} * (n - 1);
    due_ = p.last + p.period;
    // The first step is the instruction's own issue.
    port_until_ = port_cycles_ ? p.last + (p.begun == 1 ? 1 : port_cycles_) : 0;
    if (p.begun == p.steps) {
      due_ += p.gap;
      if (++stepping_ != end_) {
        due_ = std::max(due_, at(stepping_).entered);
      }
    }
  }

  const uint32_t port_cycles_, stream_, queue_, turns_, register_turns_, step_data_, operand_data_;
  std::array<Product, kMaxProducts> products_{};
  uint32_t head_ = 0, stepping_ = 0, end_ = 0;  // the oldest, the one under way, behind the youngest
  Cycle due_ = 0;                               // the array can begin its next step
  Cycle others_until_ = 0;                      // the port is with others
  Cycle port_until_ = 0;
  uint64_t steps_ = 0;
  uint32_t data_ = 0;
  Cycle data_from_ = 0;
};

}  // namespace heddle::sm
