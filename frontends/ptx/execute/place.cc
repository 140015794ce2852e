#include "frontends/ptx/execute/place.h"

#include <algorithm>

#include "sim/base/align.h"
#include "sim/exec/layout.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::ptx {
namespace {

constexpr uint64_t kMostConstBytes = 64 << 10;  // CUDA guide, table of limits

// Relocations in the variable's bytes; those of other modules stay 0.
void relocate(const Module& module, const Placement& p, const Initial& initial, std::vector<uint8_t>& bytes) {
  for (const Relocation& r : initial.relocations) {
    uint64_t value = static_cast<uint64_t>(r.addend);
    if (r.function) {
      value += function_address(r.id);
    } else if (p.address[r.id] != kNowhere) {
      value += r.generic ? generic_address(module.variables[r.id], p.address[r.id]) : p.address[r.id];
    }
    value >>= r.shift;
    for (uint64_t i = 0; i < r.size && r.offset + i < bytes.size(); ++i) {
      bytes[r.offset + i] = static_cast<uint8_t>(value >> 8 * i);
    }
  }
}

}  // namespace

uint64_t generic_address(const Variable& variable, uint64_t address) {
  switch (variable.space) {
    case Space::kConst:
      return exec::kConstWindow + address;
    case Space::kShared:
      return exec::kSharedWindow + address;
    case Space::kParam:
      return exec::kParamWindow + address;
    default:
      return address;
  }
}

uint64_t function_address(uint32_t function) { return exec::kFunctionBase + 16 * uint64_t{function}; }

Placement place(const Module& module, exec::Memory& memory) {
  Placement p;
  p.address.assign(module.variables.size(), kNowhere);
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const Variable& v = module.variables[i];
    if (v.linkage == Linkage::kExtern || v.size == 0) {
      continue;
    }
    if (v.space == Space::kGlobal) {
      const uint64_t bytes =
          info(v.type).kind == TypeKind::kOpaque ? exec::texture::kDescriptorBytes : v.size;
      p.address[i] = memory.allocate(bytes);
      memory.mark_written(p.address[i], bytes);
    } else if (v.space == Space::kConst) {
      p.address[i] = round_up(p.const_data.size(), uint64_t{v.align});
      p.const_data.resize(p.address[i] + v.size);
      if (p.const_data.size() > kMostConstBytes) {
        module.source.fail(v.at, "more than 65536 bytes of constants");
      }
    }
  }
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const Variable& v = module.variables[i];
    if (p.address[i] == kNowhere || v.initial == kNone) {
      continue;
    }
    const Initial& initial = module.initials[v.initial];
    std::vector<uint8_t> bytes(v.size);
    for (const Chunk& c : initial.chunks) {
      std::copy(c.bytes.begin(), c.bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(c.offset));
    }
    relocate(module, p, initial, bytes);
    if (v.space == Space::kGlobal) {
      memory.write(p.address[i], bytes);
    } else {
      std::copy(bytes.begin(), bytes.end(), p.const_data.begin() + static_cast<std::ptrdiff_t>(p.address[i]));
    }
  }
  return p;
}

}  // namespace heddle::ptx
