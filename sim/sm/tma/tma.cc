#include "sim/sm/tma/tma.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/sm/state/bulk.h"

namespace heddle::sm {

using isa::AsyncKind;
using memory::RequestKind;

namespace {

Ticks ticks(double cycles) { return Ticks::truncated(cycles * static_cast<double>(kTicksPerCycle)); }

constexpr uint8_t kPassesOfReduction = 1;  // over a sector: its elements lie beside each other

RequestKind kind_of(AsyncKind k) {
  switch (k) {
    case AsyncKind::kBulkStore:
    case AsyncKind::kTensorStore:
      return RequestKind::kWrite;
    case AsyncKind::kBulkReduce:
    case AsyncKind::kTensorReduce:
      return RequestKind::kReduction;
    case AsyncKind::kBulkPrefetch:
    case AsyncKind::kTensorPrefetch:
      return RequestKind::kPrefetch;
    default:
      return RequestKind::kRead;
  }
}

}  // namespace

void Tma::reset(Cycle) {
  loads_ = {};
  stores_ = {};
  copies_.clear();
  flushes_.clear();
  started_stores_ = read_stores_ = 0;
  descriptors_.reset();
  in_flight_ = 0;
}

Cycle Tma::start(const Issued& i) {
  const isa::AsyncOp& form = i.instr.instr->async;
  if (form.kind == AsyncKind::kFlush) {
    flush(i);
    return 0;
  }
  sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, i.instr);
  sm_.result_at(i.now + kOperandReadCycles, i.warp, i.instr);
  const isa::BulkOp& c = i.operands.bulk;
  sm_.counters()[stats::Counter::kTensorCopiesUnknown] += i.mask != 0 && i.operands.unknown_copy;
  sm_.counters()[stats::Counter::kTensorCopiesAssumed] += i.mask != 0 && i.operands.assumed_map;
  if (i.mask == 0 || c.bytes == 0) {
    return 0;
  }
  const uint32_t slot = sm_.warp(i.warp).block;
  const bool computed = sm_.kernel(i.warp).image->delivered;
  const bool here = c.multicast == 0 || (c.multicast >> sm_.block(slot).rank & 1);
  if (!computed && here && isa::is_load(c.kind)) {
    // Where the recording does not tell what a barrier object expects, it is what comes.
    MbarrierState& m = sm_.block(slot).mbarriers[c.barrier];
    m.bytes += m.expected == 0 ? static_cast<int64_t>(c.bytes) : 0;
  }
  if (computed && c.multicast >> sm_.kernel(i.warp).image->shape.cluster.count() != 0) {
    sm_.fault(i.warp, i.instr, i.now, "a multicast to blocks that the cluster does not have");
    return 0;
  }
  begin(i, c, i.operands.tile);
  return 0;
}

void Tma::begin(const Issued& i, const isa::BulkOp& op, const isa::TensorTile* tile) {
  const TimedKernel& kernel = sm_.kernel(i.warp);
  const uint32_t slot = sm_.warp(i.warp).block;
  const uint32_t number = copies_.take();
  Copy& c = copies_[number];
  c = {};
  c.slot = slot;
  c.generation = sm_.block(slot).generation;
  c.cluster = sm_.block(slot).cluster;
  c.warp = static_cast<uint8_t>(i.warp);
  c.grid = sm_.grid(i.warp);
  c.computed = kernel.image->delivered;
  c.op = op;
  c.op.source += kernel.address_offset;
  if (tile) {
    c.tile = *tile;
    c.tile.base += kernel.address_offset;
    c.wait = descriptors_.use(i.operands.descriptor, i.operands.descriptor_is_parameter);
  } else {
    c.next = c.op.source;
    c.left = op.bytes;
  }
  const bool store = isa::is_store(op.kind);
  started_stores_ += store;
  c.earliest = i.now + (store ? config_.tensor_store_latency() : config_.tma_latency());
  sm_.counters()[stats::Counter::kBulkBytes] += op.bytes;
  Queue& q = queue_of(c);
  q.copies.push_back(number);
  schedule(q, c.earliest);
}

void Tma::flush(const Issued& i) {
  sm_.result_at(i.now + kOperandReadCycles, i.warp, i.instr);
  if (i.mask == 0 || read_stores_ == started_stores_) {
    sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, i.instr);
    return;
  }
  ++sm_.warp(i.warp).loads;  // keeps the warp from retiring under it
  flushes_.push_back({static_cast<uint8_t>(i.warp), i.instr.index, started_stores_});
}

void Tma::schedule(Queue& q, Cycle at) {
  if (!q.scheduled && !q.copies.empty()) {
    q.scheduled = true;
    sm_.schedule(at, {UnitEvent::Kind::kTma, 0, static_cast<uint8_t>(&q == &stores_)});
  }
}

void Tma::event(const UnitEvent& e, Cycle now) {
  Queue& q = e.small ? stores_ : loads_;
  q.scheduled = false;
  if (q.copies.empty()) {
    return;
  }
  const uint32_t number = q.copies.front();
  Copy& c = copies_[number];
  if (now < c.earliest) {
    schedule(q, c.earliest);
    return;
  }
  if (c.begun == 0) {
    c.begun = now;
    q.free = std::max(q.free, to_ticks(now + c.wait));
  }
  if (const Cycle turn = to_cycles_down(q.free); turn > now) {
    schedule(q, turn);
  } else if (&q == &stores_ || in_flight_ < config_.tma_requests_in_flight()) {
    step(q, number, now);
  }  // else an answer starts it again
}

void Tma::step(Queue& q, uint32_t number, Cycle now) {
  Copy& c = copies_[number];
  Ticks service = to_ticks(config_.tma_request_interval());
  if (c.tensor()) {
    if (c.left == 0) {
      c.next_row();
    }
    const uint64_t bytes = std::min(c.left, memory::kLineBytes - c.next % memory::kLineBytes);
    service = std::max(ticks(config_.tensor_row_cycles()),
                       ticks(config_.tensor_line_cycles() * static_cast<double>(bytes) / memory::kLineBytes));
  }
  Cycle sent = now;
  if (c.left > 0) {
    sent = request(number, c, now);
    if (isa::is_store(c.op.kind)) {
      // What it writes leaves at the port's rate.
      service = isa::is_reduction(c.op.kind) ? ticks(config_.tensor_reduction_cycles()) : Ticks();
      service = std::max(service, to_ticks(sent - now));
    }
  }
  q.free = std::max(q.free, to_ticks(now)) + service;
  if (c.asked()) {
    q.copies.pop_front();
    if (c.op.kind == AsyncKind::kTensorLoad) {
      q.free = std::max(q.free, to_ticks(c.begun + c.wait + config_.tensor_copy_interval()));
    }
    asked(number, sent, now);
  }
  schedule(q, std::max(to_cycles_down(q.free), now + 1));
}

Cycle Tma::request(uint32_t number, Copy& c, Cycle now) {
  const bool store = isa::is_store(c.op.kind);
  memory::Request q;
  q.line = c.take_line(q.sectors);
  q.kind = kind_of(c.op.kind);
  q.time = store ? sm_.port().book_store(std::popcount(q.sectors), false, now) : sm_.port().book(0, now);
  q.id = number | static_cast<uint32_t>(RequestTag::kBulk);
  q.sm = static_cast<uint16_t>(sm_.index());
  q.operations = q.kind == RequestKind::kReduction ? kPassesOfReduction : 0;
  q.grid = store ? c.grid : 0;
  q.multicast = c.op.multicast != 0;
  if (c.computed) {
    q.payload = sm_.payloads().take();
    sm_.payloads()[q.payload].line = q.line;
  }
  ++c.flying;
  ++c.sent;
  in_flight_ += !store;
  sm_.send(q);
  return q.time;
}

// Nothing of it is left to request.
void Tma::asked(uint32_t number, Cycle sent, Cycle now) {
  const Copy& c = copies_[number];
  if (isa::is_store(c.op.kind)) {
    shared_memory_read(sent);
  }
  if (c.is_elsewhere()) {
    tell_others(c, now);  // the rows behind the last answer, or all of them, lie outside the tensor
  }
  if (c.flying == 0) {
    finish(number, now);
  }
}

void Tma::shared_memory_read(Cycle at) {
  ++read_stores_;
  std::erase_if(flushes_, [&](const Flush& f) {
    if (f.stores > read_stores_) {
      return false;
    }
    sm_.operands_read_at(at + kOperandReadCycles, f.warp, sm_.kernel(f.warp).code[f.code]);
    fences_.memory_done(f.warp, at);
    return true;
  });
}

bool Tma::is_current(const Copy& c) const {
  return sm_.block(c.slot).active && sm_.block(c.slot).generation == c.generation;
}

bool Tma::is_for_own_block(const Copy& c) const {
  return is_current(c) && (c.op.multicast == 0 || (c.op.multicast >> sm_.block(c.slot).rank & 1));
}

void Tma::answer(uint32_t id, uint8_t sectors, const memory::Payload* values, Cycle now) {
  const uint32_t number = id & ~kRequestTagMask;
  Copy& c = copies_[number];
  --c.flying;
  in_flight_ -= !isa::is_store(c.op.kind);
  if (values && is_for_own_block(c)) {
    const uint64_t bytes = deliver_bulk(*sm_.block(c.slot).program, c.op, sectors, *values);
    barriers_.bulk_arrived(c.slot, c.op.barrier, bytes, now);
  }
  if (c.flying == 0 && c.asked()) {
    finish(number, now);
  }
  schedule(loads_, now + 1);
}

// All of it is there. Of a recording all bytes count now, since a phase is complete with the last of them.
void Tma::finish(uint32_t number, Cycle now) {
  const Copy c = copies_[number];
  copies_.remove(number);
  if (!c.computed && isa::is_load(c.op.kind) && is_for_own_block(c)) {
    barriers_.bulk_arrived(c.slot, c.op.barrier, c.op.bytes, now);
  }
}

// Blocks of a recording's multicast that no answer will tell.
void Tma::tell_others(const Copy& c, Cycle now) {
  if (c.computed || !is_current(c)) {
    return;
  }
  for (uint32_t rank = 0; c.op.multicast >> rank != 0; ++rank) {
    if ((c.op.multicast >> rank & 1) && rank != sm_.block(c.slot).rank) {
      ClusterMessage m;
      m.kind = ClusterMessage::Kind::kMbarrier;
      m.cluster = c.cluster;
      m.slot = static_cast<uint8_t>(c.slot);
      m.rank = static_cast<uint8_t>(rank);
      m.mbarrier.kind = isa::MbarrierOp::Kind::kComplete;
      m.mbarrier.address = c.op.barrier;
      m.mbarrier.bytes = c.op.bytes;
      cluster_.send(m, now);
    }
  }
}

Cycle Tma::arrives_elsewhere(uint32_t id, uint32_t others, Cycle at) {
  Copy& c = copies_[id & ~kRequestTagMask];
  c.others = others;
  c.latest = std::max(c.latest, at);
  ++c.elsewhere;
  return c.is_elsewhere() ? c.latest : 0;
}

}  // namespace heddle::sm
