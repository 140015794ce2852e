#include "analysis/access/kernel_accesses.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "frontends/trace/launches.h"
#include "frontends/trace/reader.h"
#include "sim/engine/threads.h"

namespace heddle::analysis {
namespace {

constexpr size_t kAdvised = 16;  // instructions
constexpr size_t kKeptWords = size_t{1} << 22;
constexpr uint64_t kWorthAThread = uint64_t{1} << 19;  // warp instructions

// Consecutive blocks of a trace that one thread reads.
struct Part {
  std::unique_ptr<isa::BlockSource> source;
  uint64_t blocks = ~uint64_t{0};
};

// Any block of a .heddle can be read at once; a text trace is one part.
std::vector<Part> parts_of(const std::filesystem::path& file, const std::optional<isa::Dim3>& cluster,
                           uint32_t threads) {
  std::vector<Part> parts;
  parts.push_back({trace::open_any(file, cluster).source, ~uint64_t{0}});
  const auto* first = dynamic_cast<trace::Reader*>(parts[0].source.get());
  if (!first) {
    return parts;
  }
  const uint64_t n =
      std::min({uint64_t{threads}, first->chunks(), first->warp_instructions() / kWorthAThread});
  const uint64_t blocks = first->blocks();
  for (uint64_t i = 1; i < n; ++i) {
    std::unique_ptr<trace::Reader> reader = trace::open(file);
    reader->seek(blocks * i / n);
    parts.push_back({std::move(reader), blocks * (i + 1) / n - blocks * i / n});
  }
  parts[0].blocks = n > 1 ? blocks / n : blocks;
  return parts;
}

// Reads all parts at once; the first error counts.
template <typename Sink>
void read_parts(std::vector<Part>& parts, std::vector<Sink>& sinks, const std::atomic<bool>& cancel) {
  std::vector<std::exception_ptr> errors(parts.size());
  const auto read = [&](size_t i) {
    try {
      if (auto* native = dynamic_cast<trace::Reader*>(parts[i].source.get())) {
        trace::PackedBlock block;
        for (uint64_t b = 0; b < parts[i].blocks && !cancel && native->next_packed(block); ++b) {
          sinks[i].add(block);
        }
        return;
      }
      isa::BlockTrace block;
      while (!cancel && parts[i].source->next(block)) {
        sinks[i].add(block);
      }
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < parts.size(); i = next++) {
      read(i);
    }
  };
  {
    const std::vector<std::jthread> others = start_threads(static_cast<int>(parts.size()) - 1, work);
    work();
  }
  for (const std::exception_ptr& e : errors) {
    if (e) {
      std::rethrow_exception(e);
    }
  }
}

// A profile, and the patterns of what it has read where they are kept and not too many.
class ProfileSink {
 public:
  ProfileSink(const isa::KernelImage& image, AccessSide side, bool keep)
      : profile_(image, side), patterns_(keep ? std::make_unique<PatternCounts>(kKeptWords) : nullptr) {}

  template <typename Block>
  void add(const Block& block) {
    if (!patterns_) {
      profile_.add(block);
      return;
    }
    profile_.add(block, *patterns_);
    if (patterns_->full()) {
      profile_.settle(*patterns_);
      patterns_.reset();
    }
  }
  AccessProfile& profile() { return profile_; }
  // Null: they were not kept.
  const PatternCounts* patterns() {
    if (patterns_) {
      profile_.settle(*patterns_);
    }
    return patterns_.get();
  }

 private:
  AccessProfile profile_;
  std::unique_ptr<PatternCounts> patterns_;
};

// Instructions whose addresses overlap use the same rows: begin and end of those of `n`.
std::pair<uint64_t, uint64_t> rows_of(const std::vector<InstrAccesses>& all, const InstrAccesses& n) {
  uint64_t begin = n.lowest, end = n.highest;
  for (bool grown = true; grown;) {
    grown = false;
    for (const InstrAccesses& o : all) {
      if (o.lowest < end && o.highest > begin && (o.lowest < begin || o.highest > end)) {
        begin = std::min(begin, o.lowest);
        end = std::max(end, o.highest);
        grown = true;
      }
    }
  }
  // Whole rows of all banks: what lies behind is of the same array, or nobody's.
  constexpr uint64_t kBytes = uint64_t{kBanks} * 4;
  return {begin, begin + (end - begin + kBytes - 1) / kBytes * kBytes};
}

// What the remedies would do, by reading all accesses again.
using ReadAgain = std::function<std::vector<RemedyCheck>(const std::vector<Remedy>&, const KernelAccesses&)>;

// `known`: the patterns of all accesses, if they were kept.
void advise(const ReadAgain& read_again, const PatternCounts* known, KernelAccesses& k) {
  std::vector<Remedy> remedies;
  std::vector<std::vector<size_t>> of;  // the remedies of k.all[i]
  for (size_t i = 0; i < k.all.size() && i < kAdvised && k.all[i].excess() > 0; ++i) {
    of.emplace_back();
    const auto [begin, end] = rows_of(k.all, k.all[i]);
    for (const Remedy& r : remedies_for(k.image(), k.all[i], begin, end)) {
      const auto at = std::find(remedies.begin(), remedies.end(), r);
      of.back().push_back(static_cast<size_t>(at - remedies.begin()));
      if (at == remedies.end()) {
        remedies.push_back(r);
      }
    }
  }
  if (remedies.empty()) {
    return;
  }
  std::vector<RemedyCheck> checks;
  if (known) {
    checks.emplace_back(k.image(), k.all, remedies).add(*known);
  } else {
    checks = read_again(remedies, k);
  }
  std::vector<RemedyEffect> effects(remedies.size());
  for (RemedyCheck& c : checks) {
    const std::vector<RemedyEffect> e = c.effects();
    for (size_t r = 0; r < e.size(); ++r) {
      effects[r].remedy = e[r].remedy;
      effects[r].requests += e[r].requests;
      effects[r].wavefronts += e[r].wavefronts;
      effects[r].conflicts += e[r].conflicts;
      effects[r].wavefronts_with += e[r].wavefronts_with;
      effects[r].conflicts_with += e[r].conflicts_with;
    }
  }
  for (size_t i = 0; i < of.size(); ++i) {
    Advice a;
    a.index = k.all[i].index;
    for (const size_t r : of[i]) {
      auto& best = effects[r].remedy.kind == Remedy::Kind::kPadding ? a.padding : a.swizzle;
      if (effects[r].conflicts_with < effects[r].conflicts &&
          (!best || effects[r].conflicts_with < best->conflicts_with)) {
        best = effects[r];
      }
    }
    if (a.padding || a.swizzle) {
      k.advice.push_back(a);
    }
  }
}

KernelAccesses profile(std::vector<Part> parts, AccessSide side, bool keep, const std::atomic<bool>& cancel,
                       const ReadAgain& read_again) {
  KernelAccesses k;
  std::vector<ProfileSink> sinks;
  for (const Part& p : parts) {
    sinks.emplace_back(p.source->image(), side, keep);
    std::vector<bool> wanted(p.source->image().code.size());
    for (const MemoryWalk::Code& c : sinks.back().profile().code()) {
      wanted[c.index] = true;
    }
    p.source->want_refs_of(wanted);
  }
  read_parts(parts, sinks, cancel);
  AccessProfile& whole = sinks[0].profile();
  for (size_t i = 1; i < sinks.size(); ++i) {
    whole.append(sinks[i].profile());
  }
  k.accesses = whole.accesses();
  k.all = whole.by_excess();
  k.source = std::move(parts[0].source);
  if (side == AccessSide::kBanks && !cancel) {
    advise(read_again, sinks[0].patterns(), k);
  }
  return k;
}

}  // namespace

const Advice* KernelAccesses::advice_for(uint32_t index) const {
  const auto at =
      std::find_if(advice.begin(), advice.end(), [&](const Advice& a) { return a.index == index; });
  return at == advice.end() ? nullptr : &*at;
}

KernelAccesses profile_kernel(const std::filesystem::path& file, const std::optional<isa::Dim3>& cluster,
                              AccessSide side, uint32_t threads, const std::atomic<bool>& cancel) {
  std::vector<Part> parts = parts_of(file, cluster, threads);
  // Reading a text trace again takes longer than keeping its patterns; a .heddle the other way round.
  const bool keep = side == AccessSide::kBanks && !dynamic_cast<trace::Reader*>(parts[0].source.get());
  return profile(std::move(parts), side, keep, cancel,
                 [&](const std::vector<Remedy>& remedies, const KernelAccesses& k) {
                   std::vector<RemedyCheck> checks;
                   std::vector<Part> again = parts_of(file, cluster, threads);
                   checks.reserve(again.size());
                   for (const Part& p : again) {
                     checks.emplace_back(p.source->image(), k.all, remedies);
                   }
                   read_parts(again, checks, cancel);
                   return checks;
                 });
}

KernelAccesses profile_kernel(std::unique_ptr<isa::BlockSource> source, AccessSide side,
                              const std::atomic<bool>& cancel) {
  std::vector<Part> parts;
  parts.push_back({std::move(source), ~uint64_t{0}});
  return profile(
      std::move(parts), side, side == AccessSide::kBanks, cancel,
      [](const std::vector<Remedy>&, const KernelAccesses&) { return std::vector<RemedyCheck>{}; });
}

}  // namespace heddle::analysis
