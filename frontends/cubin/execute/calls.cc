#include "frontends/cubin/execute/calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "frontends/cubin/execute/placement.h"

namespace heddle::cubin {
namespace {

constexpr uint32_t kCall = 0x144, kBranch = 0x147, kBranchByRegister = 0x149, kExit = 0x14d, kReturn = 0x150;
constexpr uint64_t kAlways = 7;  // PT

// Of all lanes: neither the guard nor the other predicate may leave any out.
bool always(const Word& w) { return w.bits(12, 4) == kAlways && w.bits(87, 4) == kAlways; }

size_t target(std::span<const Word> code, size_t at, uint32_t capability) {
  const auto bytes = static_cast<int64_t>(kInstructionBytes);
  const int64_t to = static_cast<int64_t>(at) + 1 + branch_distance(code[at], capability) / bytes;
  return to < 0 ? code.size() : static_cast<size_t>(to);
}

bool calls(const Word& w) { return w.opcode() == kCall && w.form() != 1; }

// What the function calls that begins at `first`; what goes somewhere by a register may lead to all up to
// `end`.
std::set<size_t> called(std::span<const Word> code, size_t first, size_t end, uint32_t capability) {
  std::set<size_t> out;
  std::vector<bool> seen(code.size());
  std::vector<size_t> to_do = {first};
  while (!to_do.empty()) {
    const size_t at = to_do.back();
    to_do.pop_back();
    if (at >= code.size() || seen[at]) {
      continue;
    }
    seen[at] = true;
    const Word& w = code[at];
    if (calls(w)) {
      out.insert(target(code, at, capability));
    } else if (w.opcode() == kBranch) {
      to_do.push_back(target(code, at, capability));
    } else if (w.opcode() == kBranchByRegister) {
      for (size_t i = first; i < end; ++i) {
        to_do.push_back(i);
      }
    }
    const bool leaves = w.opcode() == kBranch || w.opcode() == kBranchByRegister || w.opcode() == kExit ||
                        w.opcode() == kReturn;
    if (!leaves || !always(w)) {
      to_do.push_back(at + 1);
    }
  }
  return out;
}

}  // namespace

int64_t branch_distance(const Word& w, uint32_t capability) {
  if (capability < 90) {
    return w.signed_bits(34, 48) * 4;
  }
  return (w.signed_bits(34, 48) * 256 + static_cast<int64_t>(w.bits(16, 8))) * 4;
}

bool calls_itself(std::span<const Word> code, uint32_t capability) {
  std::set<size_t> functions;
  for (size_t i = 0; i < code.size(); ++i) {
    if (calls(code[i])) {
      functions.insert(target(code, i, capability));
    }
  }
  std::map<size_t, std::set<size_t>> open;
  for (auto it = functions.begin(); it != functions.end(); ++it) {
    const auto next = std::next(it);
    open[*it] = called(code, *it, next == functions.end() ? code.size() : *next, capability);
  }
  // Who calls only what is closed is so, too; whoever stays open calls himself or one who does.
  for (bool more = true; more;) {
    more = false;
    for (auto it = open.begin(); it != open.end();) {
      const std::set<size_t>& to = it->second;
      const bool closed = std::none_of(to.begin(), to.end(), [&](size_t f) { return open.contains(f); });
      it = closed ? open.erase(it) : std::next(it);
      more |= closed;
    }
  }
  return !open.empty();
}

}  // namespace heddle::cubin
