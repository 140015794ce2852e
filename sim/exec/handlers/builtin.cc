#include "sim/exec/handlers/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/base/align.h"
#include "sim/exec/block.h"
#include "sim/exec/printf.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kMostTextBytes = 4096;  // of a string of printf

// What stands at a generic address, to the zero.
std::string text_at(WarpCore& w, uint32_t lane, uint64_t address, uint32_t pc) {
  const Spaces all = w.spaces();
  std::string out;
  for (; out.size() < kMostTextBytes; ++address) {
    Space space = Space::kGeneric;
    uint64_t at = address;
    const uint8_t* c = locate(all, lane, space, at, 1);
    if (c == nullptr) {
      w.fail(pc, lane, fmt::format("text at 0x{:x} is out of bounds", address));
    }
    if (*c == 0) {
      break;
    }
    out += static_cast<char>(*c);
  }
  return out;
}

}  // namespace

uint64_t value(WarpCore& w, const Group& g, const ValuePlace& place, uint32_t lane) {
  if (place.in_register) {
    return (*w.banks(g).at(place.slot))[lane];
  }
  uint64_t out = 0;
  std::memcpy(&out, w.local.data() + size_t{lane} * w.local_bytes + g.local + place.offset,
              std::min<uint32_t>(place.bytes, sizeof out));
  return out;
}

void set_value(WarpCore& w, const Group& g, const ValuePlace& place, uint32_t lane, uint64_t value) {
  if (!place.in_register) {
    std::memcpy(w.local.data() + size_t{lane} * w.local_bytes + g.local + place.offset, &value,
                std::min<uint32_t>(place.bytes, sizeof value));
  } else if (Register* r = w.banks(g).at(place.slot)) {
    (*r)[lane] = place.bytes >= 8 ? value : value & ((uint64_t{1} << 8 * place.bytes) - 1);
  }
}

void builtin(WarpCore& w, const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t mask) {
  const auto argument = [&](size_t i, uint32_t lane) {
    return i < op.arguments.size() ? value(w, g, op.arguments[i], lane) : 0;
  };
  Memory& heap = *w.reach.memory;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    uint64_t result = 0;
    switch (f.builtin) {
      case Builtin::kNone:
        break;
      case Builtin::kMalloc:
        result = heap.heap_allocate(argument(0, lane));
        break;
      case Builtin::kFree:
        heap.heap_release(argument(0, lane));
        break;
      case Builtin::kAssertFail:
        w.fail(g.pc, lane,
               fmt::format("assertion failed: {} ({}:{})", text_at(w, lane, argument(0, lane), g.pc),
                           text_at(w, lane, argument(1, lane), g.pc), argument(2, lane) & 0xffffffff),
               FaultKind::kAssert);
      case Builtin::kPrintf: {
        const Spaces all = w.spaces();
        uint64_t next = argument(1, lane);
        uint32_t given = 0;
        const auto take = [&](uint32_t bytes) {
          next = round_up(next, uint64_t{bytes});
          Space space = Space::kGeneric;
          uint64_t at = next;
          const uint8_t* from = locate(all, lane, space, at, bytes);
          if (from == nullptr) {
            w.fail(g.pc, lane, fmt::format("argument of printf at 0x{:x} is out of bounds", next));
          }
          uint64_t out = 0;
          std::memcpy(&out, from, bytes);
          next += bytes;
          ++given;
          return out;
        };
        w.block->print(formatted(text_at(w, lane, argument(0, lane), g.pc), take,
                                 [&](uint64_t address) { return text_at(w, lane, address, g.pc); }));
        result = given;
        break;
      }
      case Builtin::kSetConditional: {
        // A handle is where its value lies.
        const Memory::Range* const r = heap.range(argument(0, lane));
        uint8_t* const at = r != nullptr ? r->at(argument(0, lane), sizeof(uint32_t)) : nullptr;
        if (at == nullptr) {
          w.fail(g.pc, lane,
                 fmt::format("cudaGraphSetConditional of 0x{:x}, which is no handle", argument(0, lane)));
        }
        const auto set = static_cast<uint32_t>(argument(1, lane));
        std::memcpy(at, &set, sizeof set);
        break;
      }
      case Builtin::kRuntime:
        result = runtime(w, g, op, f, lane);
    }
    if (!op.returns.empty()) {
      set_value(w, g, op.returns[0], lane, result);
    }
  }
}

}  // namespace heddle::exec
