#include "sim/exec/memory_op.h"

#include <fmt/format.h>

#include <bit>

#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

using Pointers = uint8_t* [kLanes];

template <class F>
void for_lanes(uint32_t mask, F f) {
  if (mask == ~0U) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      f(lane);
    }
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    f(static_cast<uint32_t>(std::countr_zero(m)));
  }
}

void copy(Register& to, const Register& from, uint32_t mask) {
  for_lanes(mask, [&](uint32_t lane) { to[lane] = from[lane]; });
}

bool is_constant(Space space) { return space == Space::kConst || space == Space::kParam; }

uint8_t* within(std::span<const uint8_t> bytes, uint64_t address, uint64_t size) {
  // Whoever may not write has been refused before.
  return address < bytes.size() && size <= bytes.size() - address
             ? const_cast<uint8_t*>(bytes.data()) + address
             : nullptr;
}

uint64_t window_of(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kConst:
      return kConstWindow;
    case Space::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

// Where all lanes' bytes are.
Refused locate_all(const Spaces& spaces, const Access& a, Pointers where) {
  const MemoryOp& op = *a.op;
  const uint64_t size = uint64_t{op.bytes} * op.elements;
  const bool writes = op.kind != MemoryOp::Kind::kLoad;
  Refused out;
  Memory::Range last;
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    uint64_t address = a.address[lane];
    Space space = op.space;
    if (address % size != 0) {
      return {Refusal::kMisaligned, lane, space};
    }
    // Most lanes are in the same range of global memory as the one before.
    if (space == Space::kGlobal || space == Space::kGeneric) {
      where[lane] = last.at(address, size);
      if (where[lane] != nullptr) {
        continue;
      }
      if (space == Space::kGeneric) {
        space = space_of(address);
      }
      if (space == Space::kGlobal) {
        const Memory::Range* r = spaces.memory->range(address);
        where[lane] = r != nullptr ? r->at(address, size) : nullptr;
        if (where[lane] == nullptr) {
          return {Refusal::kOutOfBounds, lane, space};
        }
        last = *r;
        continue;
      }
      space = Space::kGeneric;
    }
    where[lane] = locate(spaces, lane, space, address, size);
    if (where[lane] == nullptr || (writes && is_constant(space))) {
      return {where[lane] == nullptr ? Refusal::kOutOfBounds : Refusal::kReadOnly, lane, space};
    }
  }
  return out;
}

Refused check_all_written(const Spaces& spaces, const Access& a) {
  const uint64_t size = uint64_t{a.op->bytes} * a.op->elements;
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    if (!check_written(spaces, a.op->space, a.address[lane], size, a.op->kind != MemoryOp::Kind::kStore,
                       a.op->kind != MemoryOp::Kind::kLoad)) {
      const bool generic = a.op->space == Space::kGeneric;
      return {Refusal::kUnwritten, lane, generic ? space_of(a.address[lane]) : a.op->space};
    }
  }
  return {};
}

// Aligned words are loaded and stored in one piece: other threads of the host may do so at the same time.
template <class Word>
void load(Access& a, const Pointers where) {
  for (uint32_t e = 0; e < a.op->elements; ++e) {
    for_lanes(a.mask, [&](uint32_t lane) {
      a.data[e][lane] = __atomic_load_n(reinterpret_cast<const Word*>(where[lane]) + e, __ATOMIC_ACQUIRE);
    });
  }
}

template <class Word>
void store(const Access& a, const Pointers where) {
  for (uint32_t e = 0; e < a.op->elements; ++e) {
    for_lanes(a.mask, [&](uint32_t lane) {
      __atomic_store_n(reinterpret_cast<Word*>(where[lane]) + e, static_cast<Word>(a.data[e][lane]),
                       __ATOMIC_RELEASE);
    });
  }
}

void wide(Access& a, const Pointers where, bool stores) {
  for (uint32_t e = 0; e < 2U * a.op->elements; ++e) {
    for_lanes(a.mask, [&](uint32_t lane) {
      uint64_t* word = reinterpret_cast<uint64_t*>(where[lane]) + e;
      if (stores) {
        __atomic_store_n(word, a.data[e][lane], __ATOMIC_RELEASE);
      } else {
        a.data[e][lane] = __atomic_load_n(word, __ATOMIC_ACQUIRE);
      }
    });
  }
}

// Lane after lane, element after element.
void change(Access& a, const Pointers where) {
  const MemoryOp& op = *a.op;
  const uint32_t words = op.bytes == 16 ? 2 : 1;
  for_lanes(a.mask, [&](uint32_t lane) {
    const bool shared = op.space == Space::kShared || op.space == Space::kSharedCluster ||
                        (op.space == Space::kGeneric && space_of(a.address[lane]) == Space::kSharedCluster);
    for (uint32_t e = 0; e < op.elements; ++e) {
      uint64_t operand[2] = {}, compare[2] = {}, old[2] = {};
      for (uint32_t w = 0; w < words; ++w) {
        operand[w] = a.operand[e * words + w][lane];
        compare[w] = a.compare[w][lane];
      }
      (shared ? op.atomic_shared : op.atomic)(where[lane] + size_t{e} * op.bytes, operand, compare, old);
      for (uint32_t w = 0; w < words; ++w) {
        a.data[e * words + w][lane] = old[w];
      }
    }
  });
}

template <class Word>
void move(Access& a, const Pointers where) {
  if (a.op->kind == MemoryOp::Kind::kLoad) {
    load<Word>(a, where);
  } else {
    store<Word>(a, where);
  }
}

uint32_t words_of(const MemoryOp& op) { return op.elements * (op.bytes == 16 ? 2U : 1U); }

}  // namespace

Space space_of(uint64_t address) {
  for (const Space s : {Space::kLocal, Space::kConst, Space::kParam}) {
    if (address - window_of(s) < kWindowBytes) {
      return s;
    }
  }
  return address - kSharedWindow < kSharedWindows ? Space::kSharedCluster : Space::kGlobal;
}

uint8_t* locate(const Spaces& spaces, uint32_t lane, Space& space, uint64_t& address, uint64_t bytes) {
  if (space == Space::kGeneric) {
    space = space_of(address);
    address -= window_of(space);
  } else if (space == Space::kParam && address >= kParamWindow) {
    address -= kParamWindow;  // the address of a parameter is generic
  }
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster: {
      const uint64_t rank = address / kWindowBytes;
      if (rank >= spaces.shared.size() || (space == Space::kShared && rank != spaces.rank)) {
        return nullptr;
      }
      if (rank == spaces.rank && address % kWindowBytes < kSharedReserve) {
        return within(spaces.system, address % kWindowBytes, bytes);
      }
      return within(spaces.shared[rank], address % kWindowBytes - kSharedReserve, bytes);
    }
    case Space::kLocal:
      if (address >= kStackBase) {
        address -= kStackBase;
        return address < spaces.stack_bytes && bytes <= spaces.stack_bytes - address
                   ? spaces.stack + uint64_t{lane} * spaces.stack_bytes + address
                   : nullptr;
      }
      return address < spaces.local_bytes && bytes <= spaces.local_bytes - address
                 ? spaces.local + uint64_t{lane} * spaces.local_bytes + address
                 : nullptr;
    case Space::kConst:
      return within(spaces.constants, address, bytes);
    case Space::kParam:
      if (address >= kBankWindow - kParamWindow) {
        address -= kBankWindow - kParamWindow + spaces.parameter_at;
      }
      return within(spaces.parameters, address, bytes);
    default: {
      const Memory::Range* r = spaces.memory->range(address);
      return r != nullptr ? r->at(address, bytes) : nullptr;
    }
  }
}

bool check_written(const Spaces& spaces, Space space, uint64_t address, uint64_t bytes, bool reads,
                   bool writes) {
  if (space == Space::kGeneric) {
    space = space_of(address);
    address -= window_of(space);
  }
  uint8_t* written = nullptr;
  if (space == Space::kShared || space == Space::kSharedCluster) {
    if (address % kWindowBytes < kSharedReserve) {
      return true;
    }
    written = spaces.written[address / kWindowBytes].data() + (address % kWindowBytes - kSharedReserve);
  } else if (space == Space::kGlobal) {
    const Memory::Range* r = spaces.memory->range(address);
    written = r->written != nullptr ? r->written + (address - r->base) : nullptr;
  }
  for (uint64_t i = 0; written != nullptr && i < bytes; ++i) {
    if (reads && __atomic_load_n(written + i, __ATOMIC_RELAXED) == 0) {
      return false;
    }
    if (writes) {
      __atomic_store_n(written + i, uint8_t{1}, __ATOMIC_RELAXED);
    }
  }
  return true;
}

std::string refusal(const Spaces& spaces, std::string_view what, uint64_t address, uint64_t bytes,
                    uint64_t align, const Refused& r) {
  constexpr const char* kSpaces[] = {"generic",  "global",    "shared", "local",
                                     "constant", "parameter", "shared"};
  std::string out = fmt::format("{} of {} bytes at 0x{:x} in {} memory", what, bytes, address,
                                kSpaces[static_cast<int>(r.space)]);
  if (r.why == Refusal::kMisaligned) {
    return out + fmt::format(" is misaligned (legal: multiples of {})", align);
  }
  if (r.why == Refusal::kReadOnly) {
    return out + ", which cannot be written";
  }
  if (r.why == Refusal::kUnwritten) {
    return out + ", of which some were never written";
  }
  out += " is out of bounds";
  if (r.space == Space::kGlobal) {
    if (const Memory::Range* near = spaces.memory->nearest(address)) {
      out += fmt::format(" (nearest allocation: {} bytes at 0x{:x})", near->bytes, near->base);
    }
  } else if (r.space == Space::kLocal) {
    out += fmt::format(" (the thread's: {} bytes; cudaLimitStackSize says how many calls may use)",
                       spaces.local_bytes);
  } else if (r.space == Space::kShared || r.space == Space::kSharedCluster) {
    const uint64_t rank = address % kSharedWindows / kWindowBytes;
    if (r.space == Space::kShared && rank != spaces.rank) {
      out += fmt::format(" (it is of the cluster's block {}, the thread's is {}; legal: .shared::cluster)",
                         rank, spaces.rank);
    } else if (rank >= spaces.shared.size()) {
      out += fmt::format(" (of block {} of a cluster of {})", rank, spaces.shared.size());
    } else if (rank != spaces.rank && spaces.shared[rank].empty()) {
      out += fmt::format(" (the cluster's block {} has ended)", rank);
    } else {
      out += fmt::format(" (the block's: {} bytes from 0x{:x} on)", spaces.shared[spaces.rank].size(),
                         spaces.rank * kWindowBytes + kSharedReserve);
    }
  }
  return out;
}

void prepare_addresses(const Inst& in, const MemoryOp& op, const Banks& banks, uint32_t local, uint32_t mask,
                       Access& a) {
  a.op = &op;
  a.mask = mask;
  const uint64_t offset = static_cast<uint64_t>(in.offset) + (op.in_frame ? local : 0);
  // Addresses in windows have 32 bits.
  const bool narrow = op.space == Space::kShared || op.space == Space::kSharedCluster ||
                      op.space == Space::kLocal || op.space == Space::kConst;
  const uint64_t bits = narrow ? 0xffffffff : ~uint64_t{0};
  const Register* const base = banks.at(in.s[0]);
  if (op.pair_base || op.addend != kNoSlot) {
    const Register* const addend = banks.at(op.addend);
    for_lanes(mask, [&](uint32_t lane) {
      uint64_t at = 0;
      if (base != nullptr) {
        at = base[0][lane] | (op.pair_base ? base[1][lane] << 32 : 0);
      }
      a.address[lane] = (at + (addend != nullptr ? (*addend)[lane] : 0) + offset) & bits;
    });
  } else if (base != nullptr) {
    for_lanes(mask, [&](uint32_t lane) { a.address[lane] = ((*base)[lane] + offset) & bits; });
  } else {
    for_lanes(mask, [&](uint32_t lane) { a.address[lane] = offset & bits; });
  }
}

void prepare(const Inst& in, const MemoryOp& op, const Banks& banks, uint32_t local, uint32_t mask,
             Access& a) {
  prepare_addresses(in, op, banks, local, mask, a);
  const uint32_t words = words_of(op);
  if (op.kind == MemoryOp::Kind::kStore) {
    for (uint32_t w = 0; w < words; ++w) {
      copy(a.data[w], *banks.at(op.values[w]), mask);
    }
  } else if (op.kind == MemoryOp::Kind::kAtomic) {
    for (uint32_t w = 0; w < words; ++w) {
      copy(a.operand[w], *banks.at(op.operands[w]), mask);
    }
    for (uint32_t w = 0; w < 2; ++w) {
      if (const Register* compare = banks.at(op.compare[w])) {
        copy(a.compare[w], *compare, mask);
      }
    }
  }
}

Refused refused(const Spaces& spaces, const Access& a) {
  Pointers where;
  return locate_all(spaces, a, where);
}

Refused perform(const Spaces& spaces, Access& a) {
  Pointers where;
  const Refused refused = locate_all(spaces, a, where);
  if (refused.why != Refusal::kNone) {
    return refused;
  }
  if (!spaces.written.empty()) {
    if (const Refused r = check_all_written(spaces, a); r.why != Refusal::kNone) {
      return r;
    }
  }
  if (a.op->kind == MemoryOp::Kind::kAtomic) {
    change(a, where);
    return refused;
  }
  switch (a.op->bytes) {
    case 1:
      move<uint8_t>(a, where);
      break;
    case 2:
      move<uint16_t>(a, where);
      break;
    case 4:
      move<uint32_t>(a, where);
      break;
    case 8:
      move<uint64_t>(a, where);
      break;
    default:
      wide(a, where, a.op->kind == MemoryOp::Kind::kStore);
  }
  return refused;
}

void complete(const Access& a, const Banks& banks) {
  const MemoryOp& op = *a.op;
  if (op.kind == MemoryOp::Kind::kStore) {
    return;
  }
  const uint32_t words = words_of(op);
  for (uint32_t w = 0; w < words; ++w) {
    Register* to = banks.at(op.values[w]);
    if (to == nullptr) {
      continue;
    }
    if (!op.sign || op.bytes >= op.register_bytes) {
      copy(*to, a.data[w], a.mask);
      continue;
    }
    const unsigned unused = 64 - 8U * op.bytes;
    const uint64_t bits = op.register_bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * op.register_bytes) - 1;
    for_lanes(a.mask, [&](uint32_t lane) {
      (*to)[lane] = static_cast<uint64_t>(static_cast<int64_t>(a.data[w][lane] << unused) >> unused) & bits;
    });
  }
}

}  // namespace heddle::exec
