#include "sim/exec/async/transfer.h"

#include <fmt/format.h>

#include <bit>

#include "sim/exec/async/barrier_object.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kBulkUnit = 16;  // bytes

void check_bulk(const Transfer& t) {
  if (t.bytes % kBulkUnit != 0) {
    throw Fault{fmt::format("bulk copy of {} bytes (legal: multiples of 16)", t.bytes)};
  }
}

void combine(AtomicFn fn, uint8_t element_bytes, uint8_t* to, const uint8_t* from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += element_bytes) {
    uint64_t operand[2] = {}, old[2] = {};
    copy_bytes(reinterpret_cast<uint8_t*>(operand), from + i, element_bytes);
    fn(to + i, operand, nullptr, old);
  }
}

uint8_t* copy_source(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  return reach(spaces, lane, t.from, t.bytes, t.op->size, Use::kRead, "asynchronous copy");
}

// cp.async
void copy(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  uint8_t* const to = copy_target(t, spaces, lane);
  alignas(16) uint8_t data[16] = {};
  if (t.bytes != 0) {
    copy_bytes(data, copy_source(t, spaces, lane), t.bytes);
  }
  copy_bytes(to, data, t.op->size);
}

void bulk(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  check_bulk(t);
  check_blocks(t, spaces);
  const uint8_t* from = reach(spaces, lane, t.from, t.bytes, kBulkUnit, Use::kRead, "bulk copy");
  for_blocks(t, [&](const At& to, const At& barrier) {
    uint8_t* const out = reach(spaces, lane, to, t.bytes, kBulkUnit, Use::kWrite, "bulk copy");
    if (t.op->combine != nullptr) {
      combine(t.op->combine, t.op->element_bytes, out, from, t.bytes);
    } else {
      copy_bytes(out, from, t.bytes);
    }
    if (t.op->signals) {
      complete_bytes(spaces, lane, barrier, t.bytes);
    }
  });
}

// st.async, red.async
void store(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  const TransferOp& op = *t.op;
  const uint64_t bytes = uint64_t{op.element_bytes} * op.elements;
  check_blocks(t, spaces);
  uint8_t* const to = reach(spaces, lane, t.to, bytes, bytes, Use::kWrite, "asynchronous store");
  for (uint32_t e = 0; e < op.elements; ++e) {
    const auto* from = reinterpret_cast<const uint8_t*>(&t.values[e]);
    if (op.combine != nullptr) {
      combine(op.combine, op.element_bytes, to, from, op.element_bytes);
    } else {
      copy_bytes(to + size_t{e} * op.element_bytes, from, op.element_bytes);
    }
  }
  complete_bytes(spaces, lane, t.barrier, bytes);
}

}  // namespace

At at(const Place& place, const Banks& banks, uint32_t local, uint32_t lane) {
  const Register* base = banks.at(place.base);
  const uint64_t address = (base != nullptr ? (*base)[lane] : 0) + static_cast<uint64_t>(place.offset) +
                           (place.in_frame ? local : 0);
  const bool narrow = place.space == Space::kShared || place.space == Space::kSharedCluster;
  return {place.space, narrow ? address & 0xffffffff : address};
}

uint8_t* copy_target(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  const TransferOp& op = *t.op;
  uint8_t* const to = reach(spaces, lane, t.to, op.size, op.size, Use::kWrite, "asynchronous copy");
  if (t.bytes > op.size) {
    throw Fault{fmt::format("cp.async that reads {} bytes (legal: up to {})", t.bytes, op.size)};
  }
  if (t.bytes != 0) {
    copy_source(t, spaces, lane);
  }
  return to;
}

void check_blocks(const Transfer& t, const Spaces& spaces) {
  if (t.blocks >> spaces.shared.size() != 0) {
    throw Fault{fmt::format("multicast to blocks 0x{:x} of a cluster of {}", t.blocks, spaces.shared.size())};
  }
  if (t.op->signals && t.op->blocks == kNoSlot && rank_of(t.to) != rank_of(t.barrier)) {
    throw Fault{
        fmt::format("copy to the cluster's block {} with a barrier object of block {} (legal: the same)",
                    rank_of(t.to), rank_of(t.barrier))};
  }
}

Transfer prepare(const TransferOp& op, const Banks& banks, uint32_t local, uint32_t lane) {
  const auto value = [&](Slot s) { return (*banks.at(s))[lane]; };
  Transfer t;
  t.op = &op;
  t.to = at(op.to, banks, local, lane);
  t.from = at(op.from, banks, local, lane);
  t.barrier = at(op.barrier, banks, local, lane);
  t.bytes = op.bytes != kNoSlot ? value(op.bytes) : op.size;
  if (op.ignore != kNoSlot && value(op.ignore) != 0) {
    t.bytes = 0;
  }
  t.blocks = op.blocks != kNoSlot ? static_cast<uint32_t>(value(op.blocks) & 0xffff) : 0;
  t.map = op.map != kNoSlot ? value(op.map) : 0;
  for (uint32_t i = 0; i < op.dimensions; ++i) {
    t.coordinates[i] = static_cast<int32_t>(value(op.coordinates[i]));
  }
  for (uint32_t i = 0; i < 3 && op.offsets[i] != kNoSlot; ++i) {
    t.offsets[i] = static_cast<uint16_t>(value(op.offsets[i]));
  }
  for (uint32_t i = 0; i < 4 && op.values[i] != kNoSlot; ++i) {
    t.values[i] = value(op.values[i]);
  }
  return t;
}

void perform(const Transfer& t, const Spaces& spaces, uint32_t lane) {
  switch (t.op->kind) {
    case TransferOp::Kind::kCopy:
      copy(t, spaces, lane);
      break;
    case TransferOp::Kind::kBulk:
      bulk(t, spaces, lane);
      break;
    case TransferOp::Kind::kBulkPrefetch:
      check_bulk(t);
      reach(spaces, lane, t.from, t.bytes, kBulkUnit, Use::kName, "bulk prefetch");
      break;
    case TransferOp::Kind::kStore:
      store(t, spaces, lane);
      break;
    case TransferOp::Kind::kCheck:
      reach(spaces, lane, t.from, t.op->size, t.op->size, Use::kName, "hint");
      break;
    case TransferOp::Kind::kTensorLoad:
    case TransferOp::Kind::kTensorStore:
    case TransferOp::Kind::kTensorPrefetch:
      perform_tensor(t, spaces, lane);
  }
}

}  // namespace heddle::exec
