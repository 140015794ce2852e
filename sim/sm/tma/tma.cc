#include "sim/sm/tma/tma.h"

#include <algorithm>
#include <bit>

#include "sim/memory/message.h"

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
  if (!computed) {  // who computes says what its barrier expects
    sm_.block(slot).mbarriers[c.barrier].bytes += static_cast<int64_t>(c.bytes);
  }
  isa::BulkOp moved = c;
  moved.source += sm_.kernel(i.warp).address_offset;
  begin(slot, moved, computed, i.now);
  return 0;
}

void Tma::begin(uint32_t slot, const isa::BulkOp& copy, bool computed, Cycle now) {
  queue_.push_back(copies_.add({slot, sm_.block(slot).generation, copy, computed, copy.source, copy.bytes}));
  sm_.counters()[stats::Counter::kBulkBytes] += copy.bytes;
  if (!scheduled_) {
    scheduled_ = true;
    sm_.schedule(now + config_.tma_latency(), {Event::Kind::kTma});
  }
}

void Tma::event(const Event&, Cycle now) {
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
    sm_.schedule(now + config_.tma_request_interval(), {Event::Kind::kTma});
  }
}

// Hands over the bytes of the copy that are in these sectors; returns how many.
uint64_t Tma::deliver(const Copy& c, uint8_t sectors, const memory::Payload& values) const {
  isa::BlockProgram& program = *sm_.block(c.slot).program;
  uint64_t bytes = 0;
  for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
    const uint64_t begin = values.line * memory::kLineBytes + uint64_t{s} * memory::kSectorBytes;
    const uint64_t from = std::max(begin, c.op.source);
    const uint64_t to = std::min(begin + memory::kSectorBytes, c.op.source + c.op.bytes);
    if (sectors >> s & 1 && from < to) {
      program.deliver(c.op.destination + (from - c.op.source),
                      {&values.data[from % memory::kLineBytes], to - from});
      bytes += to - from;
    }
  }
  return bytes;
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
  if (wanted && values) {
    bytes = deliver(c, sectors, *values);
  }
  if (done) {
    copies_.remove(i);
  }
  if (wanted) {
    barriers_.bulk_arrived(slot, barrier, bytes, now);
  }
  if (!scheduled_ && !queue_.empty()) {
    scheduled_ = true;
    sm_.schedule(now + 1, {Event::Kind::kTma});
  }
}

}  // namespace heddle::sm
