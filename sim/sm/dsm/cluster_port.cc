#include "sim/sm/dsm/cluster_port.h"

#include <algorithm>
#include <bit>

#include "sim/access/space.h"
#include "sim/memory/perform.h"
#include "sim/sm/state/bulk.h"

namespace heddle::sm {

using Kind = ClusterMessage::Kind;

void ClusterPort::reset() {
  port_.reset();
  out_.clear();
  in_.reset();
  bulk_.reset();
  accesses_.clear();
  values_.clear();
}

L1Values::Load& ClusterPort::values(uint32_t access) {
  if (access >= values_.size()) {
    values_.resize(access + 1);
  }
  return values_[access];
}

// When the port begins with so many parts.
Ticks ClusterPort::turn(uint32_t parts, Cycle now) {
  const Ticks service = ticks(parts);
  return port_.reserve(to_ticks(now), service) - service;
}

void ClusterPort::leave(ClusterMessage m, Ticks begin) {
  m.port = begin;
  m.time = to_cycles_up(begin + ticks(m.parts));
  m.sm = static_cast<uint16_t>(sm_.index());
  out_.push_back(m);
}

void ClusterPort::await_answer(const ClusterMessage& m) {
  if (m.id != ClusterMessage::kNone) {
    ++accesses_[m.id].waiting;
  }
}

Cycle ClusterPort::send(const ClusterMessage& m, Cycle now) {
  await_answer(m);
  leave(m, turn(m.parts, now));
  return out_.back().time;
}

Cycle ClusterPort::send_alone(ClusterMessage m, Cycle now) {
  await_answer(m);
  const Cycle sent = to_cycles_up(port_.reserve(to_ticks(now), ticks(m.parts + m.answer_parts)));
  m.kind = Kind::kAnswer;
  m.time = sent + latency_ - 1;
  deliver(m);
  return sent;
}

void ClusterPort::tell(ClusterMessage::Kind kind, uint32_t slot, Cycle at) {
  ClusterMessage m;
  m.kind = kind;
  m.time = at;
  m.cluster = sm_.block(slot).cluster;
  m.slot = static_cast<uint8_t>(slot);
  m.sm = static_cast<uint16_t>(sm_.index());
  out_.push_back(m);
}

Cycle ClusterPort::next_departure() const {
  Cycle t = kNever;
  for (const ClusterMessage& m : out_) {
    t = std::min(t, m.time);
  }
  return t;
}

void ClusterPort::deliver(const ClusterMessage& m) {
  std::unique_ptr<EventWheel<ClusterMessage>>& wheel = m.kind == Kind::kBulk ? bulk_ : in_;
  if (!wheel) {
    wheel = std::make_unique<EventWheel<ClusterMessage>>();
  }
  ClusterMessage own = m;
  if (m.kind == Kind::kOpen) {
    own.id = sm_.barrier_event(m.slot, 0);
  }
  wheel->schedule(m.time, own);
}

void ClusterPort::run(Cycle now) {
  if (bulk_ && bulk_->next() == now) {
    bulk_->run(now, [&](const ClusterMessage& m) { take_bulk(m, now); });
  }
  if (!in_ || in_->next() != now) {
    return;
  }
  in_->run(now, [&](const ClusterMessage& m) {
    switch (m.kind) {
      case Kind::kAnswer:
        answered(m, now);
        break;
      case Kind::kOpen:
        if (sm_.is_current(m.id)) {
          barriers_->open_cluster_barrier(m.slot, now);
        }
        break;
      default:
        serve(m, now);
    }
  });
}

void ClusterPort::take_bulk(const ClusterMessage& m, Cycle now) {
  const BlockSlot& b = sm_.block(m.slot);
  if (b.active && b.cluster == m.cluster) {  // else it has ended
    const uint64_t bytes = m.values ? deliver_bulk(*b.program, m.bulk, m.sectors, *m.values) : m.bulk.bytes;
    barriers_->bulk_arrived(m.slot, m.bulk.barrier, bytes, now);
  }
  if (m.payload) {
    sm_.payloads().give_back(m.payload);
  }
}

// Another SM's access to the block in m.slot.
void ClusterPort::serve(const ClusterMessage& m, Cycle now) {
  const BlockSlot& b = sm_.block(m.slot);
  const bool there = b.active && b.cluster == m.cluster;  // else it has ended
  if (m.values && there) {
    const std::span<uint8_t> memory = b.program->shared_memory();
    const uint64_t base = m.line * memory::kLineBytes % isa::kSharedWindow;
    const auto kind = m.kind == Kind::kRead    ? memory::RequestKind::kRead
                      : m.kind == Kind::kWrite ? memory::RequestKind::kWrite
                                               : memory::RequestKind::kAtomic;
    memory::perform(kind, m.sectors, *m.values, [&](uint32_t offset, uint32_t bytes) -> uint8_t* {
      return base + offset + bytes <= memory.size() ? &memory[base + offset] : nullptr;
    });
  }
  if (there && m.mbarrier.kind != isa::MbarrierOp::Kind::kOther) {
    barriers_->change_mbarrier(m.slot, m.mbarrier, now);
  }
  if (m.kind == Kind::kMbarrier) {
    return;
  }
  ClusterMessage a = m;
  a.kind = Kind::kAnswer;
  a.to = m.sm;
  a.parts = m.answer_parts;
  // The port does not stand still for what is ready later; an acknowledgement goes before what waits there.
  const Ticks ready = to_ticks(memory_->visit(m, now)), begin = turn(a.parts, now);
  leave(a, m.kind == Kind::kWrite ? ready : std::max(begin, ready));
}

void ClusterPort::answered(const ClusterMessage& m, Cycle now) {
  if (m.posted != ClusterMessage::kNone) {
    memory_->acknowledged(m.posted, now);
  }
  if (m.id != ClusterMessage::kNone) {
    Access& a = accesses_[m.id];
    if (a.computed && !m.values->operations.empty()) {
      L1Values::take_old(values(m.id), *m.values);
    } else if (a.computed) {
      L1Values::take(values(m.id), m.line, m.sectors, *m.values);
    }
    if (--a.waiting == 0) {
      if (a.computed) {
        const L1Values::Load& l = values(m.id);
        sm_.warp(a.warp).stream.program().complete(l.ticket, l.mask, l.values);
      }
      memory_->finish_remote(a, now);
      accesses_.remove(m.id);
    }
  }
  if (m.payload) {
    sm_.payloads().give_back(m.payload);
  }
}

}  // namespace heddle::sm
