#include "sim/sm/tma/tma.h"

#include <algorithm>
#include <bit>

#include "sim/memory/message.h"
#include "sim/sm/state/bulk.h"

namespace heddle::sm {

void Tma::reset(Cycle) {
  queue_.clear();
  copies_.clear();
  in_flight_ = 0;
  scheduled_ = false;
}

Cycle Tma::start(const Issued& i) {
  sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, i.instr);
  sm_.result_at(i.now + kOperandReadCycles, i.warp, i.instr);
  const isa::BulkOp& c = i.operands.bulk;
  if (i.mask == 0 || c.bytes == 0) {
    return 0;
  }
  const uint32_t slot = sm_.warp(i.warp).block;
  const bool computed = sm_.kernel(i.warp).image->computed;
  const bool here = c.multicast == 0 || (c.multicast >> sm_.block(slot).rank & 1);
  if (!computed && here) {  // who computes says what its barrier expects
    sm_.block(slot).mbarriers[c.barrier].bytes += static_cast<int64_t>(c.bytes);
  }
  if (c.multicast >> sm_.kernel(i.warp).image->shape.cluster.count() != 0) {
    sm_.fault(i.warp, i.instr, i.now, "a multicast to blocks that the cluster does not have");
    return 0;
  }
  isa::BulkOp moved = c;
  moved.source += sm_.kernel(i.warp).address_offset;
  begin(slot, moved, computed, i.now);
  return 0;
}

void Tma::begin(uint32_t slot, const isa::BulkOp& copy, bool computed, Cycle now) {
  queue_.push_back(copies_.add({.slot = slot,
                                .generation = sm_.block(slot).generation,
                                .cluster = sm_.block(slot).cluster,
                                .op = copy,
                                .computed = computed,
                                .next = copy.source,
                                .left = copy.bytes}));
  sm_.counters()[stats::Counter::kBulkBytes] += copy.bytes;
  if (!scheduled_) {
    scheduled_ = true;
    sm_.schedule(now + config_.tma_latency(), {UnitEvent::Kind::kTma});
  }
}

void Tma::event(const UnitEvent&, Cycle now) {
  scheduled_ = false;
  if (queue_.empty() || in_flight_ >= config_.tma_requests_in_flight()) {
    return;  // a new copy or an arrival starts it again
  }
  uint32_t i = queue_.front();
  Copy& c = copies_[i];
  uint64_t line = c.next / memory::kLineBytes;
  const uint64_t from = c.next % memory::kLineBytes;
  const uint64_t bytes = std::min(c.left, memory::kLineBytes - from);
  uint8_t sectors = 0;
  for (uint64_t s = from / memory::kSectorBytes; s * memory::kSectorBytes < from + bytes; ++s) {
    sectors |= static_cast<uint8_t>(1u << s);
  }
  c.next += bytes;
  c.left -= bytes;
  c.flying += std::popcount(sectors);
  ++in_flight_;
  memory::Request q;
  q.time = sm_.port().book(0, RequestPort::kRequestCycles, now);
  q.line = line;
  q.id = i | static_cast<uint32_t>(RequestTag::kBulk);
  q.sm = static_cast<uint16_t>(sm_.index());
  q.sectors = sectors;
  q.multicast = c.op.multicast != 0;
  if (c.computed) {
    q.payload = sm_.payloads().take();
    sm_.payloads()[q.payload].line = line;
  }
  sm_.send(q);
  if (c.left == 0) {
    queue_.pop_front();
  }
  if (!queue_.empty()) {
    scheduled_ = true;
    sm_.schedule(now + config_.tma_request_interval(), {UnitEvent::Kind::kTma});
  }
}

void Tma::answer(uint32_t id, uint8_t sectors, const memory::Payload* values, Cycle now) {
  const uint32_t i = id & ~kRequestTagMask;
  Copy& c = copies_[i];
  c.flying -= std::popcount(sectors);
  --in_flight_;
  uint64_t bytes = static_cast<uint64_t>(std::popcount(sectors)) * memory::kSectorBytes;
  bool done = c.flying == 0 && c.left == 0;
  uint32_t slot = c.slot;
  uint64_t barrier = c.op.barrier;
  bool wanted = sm_.block(slot).active && sm_.block(slot).generation == c.generation;
  const uint16_t to = c.op.multicast;
  wanted = wanted && (to == 0 || (to >> sm_.block(slot).rank & 1));
  if (wanted && values) {
    bytes = deliver_bulk(*sm_.block(slot).program, c.op, sectors, *values);
  }
  if (done) {
    copies_.remove(i);
  }
  if (wanted) {
    barriers_.bulk_arrived(slot, barrier, bytes, now);
  }
  if (!scheduled_ && !queue_.empty()) {
    scheduled_ = true;
    sm_.schedule(now + 1, {UnitEvent::Kind::kTma});
  }
}

}  // namespace heddle::sm
