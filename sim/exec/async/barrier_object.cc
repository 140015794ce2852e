#include "sim/exec/async/barrier_object.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::exec {
namespace {

constexpr unsigned kThereBit = 0, kExpectedBit = 1, kBytesBit = 21, kPendingBit = 43, kParityBit = 63;
constexpr uint64_t kCountMask = kMostArrivals, kBytesMask = (uint64_t{1} << 21) - 1;

uint8_t* object_at(const Spaces& spaces, uint32_t lane, const At& at, bool own) {
  uint8_t* p = reach(spaces, lane, at, 8, 8, Use::kWrite, "barrier object");
  const bool shared = at.space == Space::kShared || at.space == Space::kSharedCluster ||
                      at.address - kSharedWindow < kSharedWindows;
  if (!shared) {
    throw Fault{fmt::format("barrier object at 0x{:x} is not in shared memory", at.address)};
  }
  if (own && rank_of(at) != spaces.rank) {
    throw Fault{
        fmt::format("barrier object at 0x{:x} is of the cluster's block {}, the thread's is {} "
                    "(legal: the thread's own)",
                    at.address, rank_of(at), spaces.rank)};
  }
  return p;
}

BarrierObject load(const uint8_t* p, const At& at) {
  uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  const BarrierObject b = BarrierObject::unpack(word);
  if (!b.there) {
    throw Fault{fmt::format("there is no barrier object at 0x{:x} in shared memory (mbarrier.init makes one)",
                            at.address)};
  }
  return b;
}

void store(uint8_t* p, const BarrierObject& b) {
  const uint64_t word = b.pack();
  std::memcpy(p, &word, sizeof word);
}

void end_phase_if_complete(BarrierObject& b) {
  if (b.pending == 0 && b.bytes == 0) {
    b.parity = !b.parity;
    b.pending = b.expected;
  }
}

void add_bytes(BarrierObject& b, const At& at, int64_t bytes) {
  const int64_t sum = b.bytes + bytes;
  if (sum > kMostBytes || sum < -kMostBytes) {
    throw Fault{fmt::format("{} bytes under way at the barrier object at 0x{:x} (legal: up to {})", sum,
                            at.address, kMostBytes)};
  }
  b.bytes = static_cast<int32_t>(sum);
}

void arrive(BarrierObject& b, const At& at, uint64_t count, const BarrierObjectOp& op) {
  if (count == 0 || count > b.pending || (op.drops && count > b.expected)) {
    throw Fault{fmt::format("{} arrivals at the barrier object at 0x{:x} (legal: 1 to {}, which are missing)",
                            count, at.address, b.pending)};
  }
  b.pending -= static_cast<uint32_t>(count);
  if (op.drops) {
    b.expected -= static_cast<uint32_t>(count);
  }
  if (op.no_complete && b.pending == 0 && b.bytes == 0) {
    throw Fault{fmt::format("an arrival with .noComplete ends the phase of the barrier object at 0x{:x}",
                            at.address)};
  }
  end_phase_if_complete(b);
}

BarrierObject made(uint64_t count) {
  if (count == 0 || count > kMostArrivals) {
    throw Fault{fmt::format("mbarrier.init for {} arrivals (legal: 1 to {})", count, kMostArrivals)};
  }
  const auto n = static_cast<uint32_t>(count);
  return {true, false, n, n, 0};
}

}  // namespace

BarrierObject BarrierObject::unpack(uint64_t word) {
  BarrierObject b;
  b.there = (word >> kThereBit & 1) != 0;
  b.parity = (word >> kParityBit & 1) != 0;
  b.expected = static_cast<uint32_t>((0 - (word >> kExpectedBit)) & kCountMask);
  b.pending = static_cast<uint32_t>((0 - (word >> kPendingBit)) & kCountMask);
  b.bytes = static_cast<int32_t>((0 - (word >> kBytesBit)) & kBytesMask);
  if (b.bytes > kMostBytes) {
    b.bytes -= static_cast<int32_t>(kBytesMask + 1);
  }
  return b;
}

uint64_t BarrierObject::pack() const {
  const auto negative = [](int64_t count, uint64_t mask) { return static_cast<uint64_t>(-count) & mask; };
  return uint64_t{there} << kThereBit | negative(expected, kCountMask) << kExpectedBit |
         negative(bytes, kBytesMask) << kBytesBit | negative(pending, kCountMask) << kPendingBit |
         uint64_t{parity} << kParityBit;
}

uint64_t perform(const BarrierObjectOp& op, const Spaces& spaces, uint32_t lane, const At& at,
                 uint64_t operand) {
  using Kind = BarrierObjectOp::Kind;
  if (op.kind == Kind::kPendingCount) {
    return BarrierObject::unpack(operand).pending;
  }
  const bool remote = op.kind == Kind::kArrive || op.kind == Kind::kExpect || op.kind == Kind::kComplete;
  uint8_t* const p = object_at(spaces, lane, at, !remote);
  if (op.kind == Kind::kInit) {
    store(p, made(operand));
    return 0;
  }
  BarrierObject b = load(p, at);
  const uint64_t before = b.pack();
  uint64_t result = before;
  switch (op.kind) {
    case Kind::kInvalidate:
      b = {};  // zeros
      break;
    case Kind::kArrive:
      if (op.expects) {
        add_bytes(b, at, static_cast<int64_t>(operand));
      }
      arrive(b, at, op.expects ? 1 : operand, op);
      break;
    case Kind::kExpect:
      add_bytes(b, at, static_cast<int64_t>(operand));
      break;
    case Kind::kComplete:
      add_bytes(b, at, -static_cast<int64_t>(operand));
      end_phase_if_complete(b);
      break;
    case Kind::kWait: {
      const bool of = op.parity ? (operand & 1) != 0 : BarrierObject::unpack(operand).parity;
      result = b.parity != of ? 1 : 0;
      break;
    }
    case Kind::kArriveCopies:  // all copies are done; an arrival that was added before changes nothing
      if (op.no_increment) {
        arrive(b, at, 1, op);
      }
      break;
    default:
      break;
  }
  if (op.kind != Kind::kWait) {
    store(p, b);
  }
  return result;
}

void complete_bytes(const Spaces& spaces, uint32_t lane, const At& at, uint64_t bytes) {
  BarrierObjectOp op;
  op.kind = BarrierObjectOp::Kind::kComplete;
  perform(op, spaces, lane, at, bytes);
}

}  // namespace heddle::exec
