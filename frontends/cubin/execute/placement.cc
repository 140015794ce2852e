#include "frontends/cubin/execute/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/base/align.h"
#include "sim/base/error.h"

namespace heddle::cubin {
namespace {

constexpr uint64_t kCodeAlign = 128;
constexpr uint32_t kConstantAlign = 16;

// Variables in memory, whose names get addresses.
uint64_t allocate(const Data& d, exec::Memory& memory) { return d.bytes == 0 ? 0 : memory.allocate(d.bytes); }

}  // namespace

bool is_system_function(std::string_view name) {
  return std::any_of(std::begin(kSystemFunctions), std::end(kSystemFunctions),
                     [&](const SystemFunction& f) { return f.name == name; });
}

std::vector<uint8_t> patched(const Object& object, const Placement& p, const Data& from,
                             std::string_view section) {
  std::vector<uint8_t> data = from.initial;
  for (const Fixup& f : from.fixups) {
    const size_t bytes = f.kind == Fixup::Kind::kWord64 ? 8 : 4;
    if (f.kind != Fixup::Kind::kWord64 && f.kind != Fixup::Kind::kWord32) {
      throw Error(fmt::format("{}: {}: relocation of type {} of {} (legal here: 1 to 4, 102)", object.file,
                              section, f.type, f.symbol));
    }
    if (f.at > data.size() || bytes > data.size() - f.at) {
      throw Error(
          fmt::format("{}: {}: a relocation at byte {} of {}", object.file, section, f.at, data.size()));
    }
    const uint64_t value = fixed_up(object, p, f, section);
    std::memcpy(data.data() + f.at, &value, bytes);
  }
  return data;
}

std::string nothing_defines(std::string_view name) {
  return fmt::format("nothing defines {} (legal: a linked cubin; nvcc -dlink or nvlink makes one)", name);
}

uint64_t fixed_up(const Object& object, const Placement& placement, const Fixup& f, std::string_view where) {
  const auto it = f.symbol.starts_with(kSystemCalls) ? placement.addresses.find(kSystemCalls)
                                                     : placement.addresses.find(f.symbol);
  if (it == placement.addresses.end()) {
    throw Error(fmt::format("{}: {}: {}", object.file, where, nothing_defines(f.symbol)));
  }
  return it->second + static_cast<uint64_t>(f.addend);
}

Placement place(const Object& object, exec::Memory& memory) {
  Placement p;
  for (const SystemFunction& f : kSystemFunctions) {
    p.addresses.emplace(f.name,
                        kSystemCode + kInstructionBytes * static_cast<uint64_t>(&f - kSystemFunctions));
  }
  for (const Function& f : object.functions) {
    p.code_at.push_back(p.code_end);
    p.addresses.emplace(f.name, p.code_end);
    p.code_end += round_up(std::max<uint64_t>(1, f.code.size()) * kInstructionBytes, kCodeAlign);
  }
  const uint64_t zeroed = allocate(object.global, memory), initial = allocate(object.global_init, memory);
  for (const auto& [name, n] : object.names) {
    switch (n.where) {
      case Named::Where::kGlobal:
        p.addresses.emplace(name, zeroed + n.value);
        break;
      case Named::Where::kGlobalInit:
        p.addresses.emplace(name, initial + n.value);
        break;
      case Named::Where::kFunction:
        if (const auto of = p.addresses.find(n.function); of != p.addresses.end()) {
          p.addresses.emplace(name, of->second + n.value);
        }
        break;
      default:
        break;
    }
  }
  // A kernel that nobody launches may need them.
  for (const Data* d : {&object.global_init, &object.constant3, &object.constant4}) {
    for (const Fixup& f : d->fixups) {
      if (!f.symbol.starts_with(kSystemCalls) && p.addresses.emplace(f.symbol, p.code_end).second) {
        p.undefined.push_back(f.symbol);
        p.code_end += kCodeAlign;
      }
    }
  }
  if (!object.global_init.initial.empty()) {
    memory.write(initial, patched(object, p, object.global_init, ".nv.global.init"));
  }
  if (object.global.bytes != 0) {
    memory.mark_written(zeroed, object.global.bytes);
  }
  p.constants = patched(object, p, object.constant3, ".nv.constant3");
  p.bank3_bytes = static_cast<uint32_t>(p.constants.size());
  p.bank4_at = static_cast<uint32_t>(round_up(uint64_t{p.bank3_bytes}, uint64_t{kConstantAlign}));
  const std::vector<uint8_t> addresses = patched(object, p, object.constant4, ".nv.constant4");
  p.constants.resize(p.bank4_at);
  p.constants.insert(p.constants.end(), addresses.begin(), addresses.end());
  return p;
}

}  // namespace heddle::cubin
