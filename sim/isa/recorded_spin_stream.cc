// A warp's stream with its polling loops as they are replayed.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/isa/recorded_polls.h"

namespace heddle::isa {
namespace {

class SpinWriter {
 public:
  SpinWriter(const PollingLoads& loads, WarpTrace& w) : loads_(loads), w_(w) {}

  // Up to its first turn as it was, then what all turns begin with.
  void add(const Poll& p, std::vector<Spin::Flag> flags) {
    copy(done_, p.first);
    Spin s;
    s.flags = std::move(flags);
    s.most = p.turns - 1;
    const StreamPlace apart = behind(p.turn, p.same);
    copy(p.turn, apart);
    cut();
    s.turn = runs_.size();
    s.turn_reference = references_.size();
    copy(apart, p.last);
    copy(p.turn, apart);
    cut();
    s.behind = runs_.size();
    s.behind_reference = references_.size();
    for (size_t i = s.turn; i < s.behind; ++i) {
      s.work.instructions += runs_[i].count;
      s.work.thread_pred_on += uint64_t{runs_[i].count} * static_cast<uint32_t>(std::popcount(runs_[i].mask));
    }
    done_ = behind(p.last, p.same);
    spins_.push_back(std::move(s));
  }

  std::vector<Spin> finish() {
    if (!spins_.empty()) {
      copy(done_, {w_.runs.size(), w_.refs.size(), 0, w_.instructions});
      w_.runs.swap(runs_);
      w_.refs.swap(references_);
      w_.instructions = instructions_;
    }
    return std::move(spins_);
  }

 private:
  StreamPlace behind(StreamPlace at, uint64_t instructions) const {
    while (instructions > 0) {
      const Run& r = w_.runs[at.run];
      const auto n = static_cast<uint32_t>(std::min<uint64_t>(instructions, r.count - at.offset));
      if (r.mask) {
        at.reference += loads_.references(r.first + at.offset, r.first + at.offset + n);
      }
      at.offset += n;
      at.instructions += n;
      instructions -= n;
      if (at.offset == r.count) {
        at.offset = 0;
        ++at.run;
      }
    }
    return at;
  }

  void copy(const StreamPlace& from, const StreamPlace& to) {
    for (size_t run = from.run; run < w_.runs.size() && run <= to.run; ++run) {
      Run r = w_.runs[run];
      const uint32_t end = run == to.run ? to.offset : r.count;
      const uint32_t begin = run == from.run ? from.offset : 0;
      if (begin >= end) {
        continue;
      }
      r.first += begin;
      r.count = end - begin;
      if (!cut_ && !runs_.empty() && runs_.back().mask == r.mask &&
          runs_.back().first + runs_.back().count == r.first) {
        runs_.back().count += r.count;
      } else {
        runs_.push_back(r);
      }
      cut_ = false;
      instructions_ += r.count;
    }
    references_.insert(references_.end(), w_.refs.begin() + static_cast<ptrdiff_t>(from.reference),
                       w_.refs.begin() + static_cast<ptrdiff_t>(to.reference));
  }
  void cut() { cut_ = true; }

  const PollingLoads& loads_;
  WarpTrace& w_;
  StreamPlace done_;
  std::vector<Run> runs_;
  std::vector<MemRef> references_;
  std::vector<Spin> spins_;
  uint64_t instructions_ = 0;
  bool cut_ = false;
};

}  // namespace

std::vector<Spin> make_spins(const RecordedFlags& flags, const RecorderClock& clock, uint64_t block,
                             size_t warp, WarpTrace& w) {
  SpinWriter writer(flags.loads(), w);
  for_each_poll(flags.loads(), w, [&](const Poll& p) {
    std::vector<Spin::Flag> wanted;
    const uint64_t ended = clock.time(warp, p.last.instructions + p.same);
    for (size_t i = 0; i < p.words.size(); ++i) {
      if (const uint64_t n = flags.needed(p.words[i], block, p.times[i], ended)) {
        wanted.push_back({p.words[i], n});
      }
    }
    if (!wanted.empty()) {
      writer.add(p, std::move(wanted));
    }
  });
  return writer.finish();
}

}  // namespace heddle::isa
