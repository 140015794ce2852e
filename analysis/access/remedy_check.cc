#include "analysis/access/remedy_check.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

constexpr size_t kWords = size_t{1} << 19;  // of patterns; 4 MiB

}  // namespace

RemedyCheck::RemedyCheck(const isa::KernelImage& image, const std::vector<InstrAccesses>& all,
                         const std::vector<Remedy>& remedies)
    : image_(image), profile_(image, AccessSide::kBanks), seen_(kWords) {
  const std::vector<MemoryWalk::Code>& code = profile_.code();
  touched_.resize(code.size());
  for (const Remedy& r : remedies) {
    effects_.push_back({r});
  }
  for (const InstrAccesses& n : all) {
    const auto at =
        std::find_if(code.begin(), code.end(), [&](const MemoryWalk::Code& c) { return c.index == n.index; });
    for (uint32_t r = 0; r < remedies.size(); ++r) {
      if (n.lowest < remedies[r].end && n.highest > remedies[r].begin) {
        touched_[static_cast<size_t>(at - code.begin())].push_back(r);
      }
    }
  }
  for (uint32_t number = 0; number < touched_.size(); ++number) {
    if (touched_[number].empty()) {
      profile_.ignore(number);
    }
  }
}

void RemedyCheck::add(const PatternCounts& patterns) {
  AccessPattern p;
  for (const PatternCounts::Pattern& seen : patterns.all()) {
    if (touched_[seen.number].empty()) {
      continue;
    }
    const MemoryWalk::Code& c = profile_.code()[seen.number];
    p.mask = seen.mask;
    patterns.expand(seen, p.address.data(), p.from.data());
    for (const uint32_t r : touched_[seen.number]) {
      RemedyEffect& e = effects_[r];
      const AccessCost with = cost_with(image_.code[c.index], c.kind, p, e.remedy);
      e.requests += seen.times;
      e.wavefronts += seen.times * seen.cost.total;
      e.conflicts += seen.times * seen.cost.excess();
      e.wavefronts_with += seen.times * with.total;
      e.conflicts_with += seen.times * with.excess();
    }
  }
}

void RemedyCheck::flush() {
  profile_.settle(seen_);
  add(seen_);
  seen_.clear();
}

std::vector<RemedyEffect> RemedyCheck::effects() {
  flush();
  return effects_;
}

}  // namespace heddle::analysis
