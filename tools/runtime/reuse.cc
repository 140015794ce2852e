#include "tools/runtime/reuse.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "sim/exec/memory.h"

namespace heddle::runtime {
namespace {

constexpr uint64_t kFirstRun = 2;

bool same(uint64_t a, uint64_t b) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  return std::abs(x - y) <= Reuse::kSame * std::max(x, y);
}

// But for where its memory is.
std::vector<uint8_t> meaning(const exec::Launch& l) {
  std::vector<uint8_t> out = l.parameters;
  for (size_t i = 0; i + sizeof(uint64_t) <= out.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, &out[i], sizeof word);
    if (l.memory->find(word, 1) != nullptr) {
      word = 1;
      std::memcpy(&out[i], &word, sizeof word);
    }
  }
  return out;
}

}  // namespace

Likeness::Likeness(const cuda::LoadedFunction& f, const exec::Launch& l)
    : function(&f),
      shape{l.grid.x,  l.grid.y,    l.grid.z,    l.block.x,   l.block.y,
            l.block.z, l.cluster.x, l.cluster.y, l.cluster.z, l.dynamic_shared},
      parameters(meaning(l)) {}

std::shared_ptr<const analysis::LaunchRecord> Reuse::take(const Likeness& of) {
  const auto it = seen_.find(of);
  if (it == seen_.end() || it->second.left == 0) {
    return nullptr;
  }
  --it->second.left;
  return it->second.last;
}

void Reuse::timed(const Likeness& of, std::shared_ptr<const analysis::LaunchRecord> record) {
  Seen& s = seen_[of];
  if (s.last && same(s.last->cycles, record->cycles)) {
    s.run = s.run == 0 ? kFirstRun : 2 * s.run;
  } else {
    s.run = 0;
  }
  s.left = s.run;
  s.last = std::move(record);
}

bool Reuse::executed(const Likeness& of, uint64_t instructions) {
  Seen& s = seen_.at(of);
  if (same(s.last->warp_instructions, instructions)) {
    return true;
  }
  s = {};
  return false;
}

}  // namespace heddle::runtime
