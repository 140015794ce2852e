#include "sim/isa/recorded_polls.h"

#include <algorithm>
#include <bit>

namespace heddle::isa {
namespace {

constexpr uint64_t kLongestTurn = 64;  // warp instructions
constexpr size_t kMostWords = size_t{1} << 16, kMostWrites = size_t{1} << 18;

bool is_global_load(OpClass op) { return op == OpClass::kLdGlobal || op == OpClass::kLdGeneric; }
bool may_write(OpClass op) { return op == OpClass::kStGlobal || op == OpClass::kStGeneric || is_atomic(op); }
// A fence between two turns belongs to the loop.
bool waits_for_others(OpClass op) {
  return op == OpClass::kBarrier || op == OpClass::kClusterBarrier || op == OpClass::kClusterWait ||
         op == OpClass::kExit;
}
bool is_block_barrier(const Instr& in) {
  return in.op == OpClass::kBarrier && (in.flags & kFlagBarrierAllThreads) &&
         !(in.flags & kFlagBarrierArrive);
}

// Whether an instruction must wait for the load's value.
bool needs(const KernelImage& image, const Instr& load, const Instr& in) {
  if (image.has_control) {
    return load.ctl.write_barrier < 7 && (in.ctl.wait_mask >> load.ctl.write_barrier & 1);
  }
  for (int s = 0; s < in.n_src; ++s) {
    for (int d = 0; d < load.n_dst; ++d) {
      const Operand &a = in.src[s], &b = load.dst[d];
      if (a.file == b.file && a.index < b.index + b.count && b.index < a.index + a.count) {
        return true;
      }
    }
  }
  return false;
}

// Goes over a stream one instruction at a time.
class Cursor {
 public:
  Cursor(const WarpTrace& w, const StreamPlace& at) : w_(w), run_(at.run), offset_(at.offset) {}
  bool done() const { return run_ == w_.runs.size(); }
  uint32_t code() const { return w_.runs[run_].first + offset_; }
  uint32_t mask() const { return w_.runs[run_].mask; }
  void step() {
    if (++offset_ == w_.runs[run_].count) {
      offset_ = 0;
      ++run_;
    }
  }

 private:
  const WarpTrace& w_;
  size_t run_;
  uint32_t offset_;
};

// Calls f(code, word, instructions before it) for what the warp's `wanted` instructions write.
template <class F>
void for_each_write(const KernelImage& image, const std::vector<bool>& wanted, const WarpTrace& w, F&& f) {
  uint64_t instructions = 0;
  size_t reference = 0;
  for (const Run& r : w.runs) {
    for (uint32_t k = r.first; r.mask && k < r.first + r.count; ++k) {
      const Instr& in = image.code[k];
      uint64_t address[32];
      if (wanted[k] && expand(w, w.refs[reference], r.mask, address)) {
        for_each_word(address, r.mask, std::max<uint32_t>(in.width, 1),
                      [&](uint64_t word) { f(k, word, instructions + (k - r.first)); });
      }
      reference += in.mem_refs;
    }
    instructions += r.count;
  }
}

class PollFinder {
 public:
  PollFinder(const PollingLoads& loads, const WarpTrace& w, const std::function<void(const Poll&)>& f)
      : loads_(loads), w_(w), found_(f) {}

  void run() {
    StreamPlace at;
    for (; at.run < w_.runs.size(); ++at.run) {
      const Run& r = w_.runs[at.run];
      const uint32_t end = r.first + r.count;
      uint32_t from = r.first;
      if (r.mask) {
        for (uint32_t i = loads_.next(from); i < end; i = loads_.next(i + 1)) {
          touched_ |= loads_.touches(from, i);
          load(i, r.mask,
               {at.run, at.reference + loads_.references(r.first, i), i - r.first,
                at.instructions + (i - r.first)});
          from = i + 1;
        }
        touched_ |= loads_.touches(from, end);
        at.reference += loads_.references(r.first, end);
      }
      at.instructions += r.count;
    }
    close();
  }

 private:
  void load(uint32_t code, uint32_t mask, const StreamPlace& at) {
    uint64_t address[32];
    if (!expand(w_, w_.refs[at.reference], mask, address)) {
      touched_ = true;
      return;
    }
    const bool near = open_ && !touched_ && at.instructions - poll_.last.instructions <= kLongestTurn;
    const bool again = near && code == poll_.code;
    if (again && mask == poll_.mask && same_addresses(address)) {
      ++poll_.turns;
      poll_.turn = poll_.last;
      poll_.last = at;
      others_.clear();
      words_ = lanes_;
    } else if (near && !again && std::find(others_.begin(), others_.end(), code) == others_.end()) {
      others_.push_back(code);
      visit(address, mask, false);
      return;
    } else {
      // Lanes that leave a loop one by one are on one visit.
      const bool rest = again && (mask & ~poll_.mask) == 0;
      close();
      open_ = true;
      poll_ = {};
      poll_.code = code;
      poll_.mask = mask;
      poll_.first = poll_.turn = poll_.last = at;
      poll_.turns = 1;
      std::copy_n(address, 32, address_);
      others_.clear();
      words_.clear();
      visit(address, mask, rest);
      lanes_ = words_;
    }
    touched_ = false;
  }

  bool same_addresses(const uint64_t address[32]) const {
    for (uint32_t m = poll_.mask; m; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      if (address[lane] != address_[lane]) {
        return false;
      }
    }
    return true;
  }

  void visit(const uint64_t address[32], uint32_t mask, bool on_the_same) {
    std::vector<uint64_t> now;
    for (uint32_t m = mask; m; m &= m - 1) {
      now.push_back(address[std::countr_zero(m)] / kFlagBytes);
    }
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    for (const uint64_t word : now) {
      uint32_t& n = visits_[word];
      // What is read along with the other in every turn is on the other's visit.
      if (n == 0 || !(on_the_same || (poll_.turns > 1 && now_seen(word)))) {
        ++n;
      }
      words_.push_back(word);
    }
    seen_ = words_;
  }
  bool now_seen(uint64_t word) const { return std::find(seen_.begin(), seen_.end(), word) != seen_.end(); }

  void close() {
    if (open_ && poll_.turns > 1) {
      Cursor before(w_, poll_.turn), last(w_, poll_.last);
      const uint64_t turn = poll_.last.instructions - poll_.turn.instructions;
      const Instr& load = loads_.image().code[poll_.code];
      bool waits = false;
      for (poll_.same = 0;
           poll_.same < turn && !last.done() && before.code() == last.code() && before.mask() == last.mask();
           ++poll_.same, before.step(), last.step()) {
        waits |= poll_.same > 0 && needs(loads_.image(), load, loads_.image().code[before.code()]);
      }
      if (waits) {
        std::sort(words_.begin(), words_.end());
        words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
        poll_.words = words_;
        poll_.times.clear();
        for (const uint64_t word : words_) {
          poll_.times.push_back(visits_[word]);
        }
        found_(poll_);
      }
    }
    open_ = false;
  }

  const PollingLoads& loads_;
  const WarpTrace& w_;
  const std::function<void(const Poll&)>& found_;
  bool open_ = false, touched_ = false;
  Poll poll_;
  uint64_t address_[32];
  std::vector<uint32_t> others_;                   // other polling loads of the turn
  std::vector<uint64_t> lanes_, words_, seen_;     // of the loop's load; of the turn; of the one before
  std::unordered_map<uint64_t, uint32_t> visits_;  // by word
};

}  // namespace

PollingLoads::PollingLoads(const KernelImage& image) : image_(image) {
  const auto size = static_cast<uint32_t>(image.code.size());
  std::vector<bool> in_loop(size);
  for (uint32_t i = 0; i < size; ++i) {
    const Instr& in = image.code[i];
    if (in.target == 0 || in.target > in.pc) {
      continue;
    }
    const int64_t to = image.index_of(in.target);
    if (to >= 0 && i - static_cast<uint64_t>(to) <= kLongestTurn) {
      std::fill(in_loop.begin() + to, in_loop.begin() + i, true);
    }
  }
  next_.assign(size + 1, size);
  references_.resize(size + 1);
  touching_.resize(size + 1);
  for (uint32_t i = size; i-- > 0;) {
    const Instr& in = image.code[i];
    const bool polls = is_global_load(in.op) && (in.flags & kFlagStrong) && in.mem_refs == 1 && in_loop[i];
    next_[i] = polls ? i : next_[i + 1];
    any_ |= polls;
  }
  for (uint32_t i = 0; i < size; ++i) {
    const Instr& in = image.code[i];
    references_[i + 1] = references_[i] + in.mem_refs;
    touching_[i + 1] = touching_[i] + (next_[i] != i && (in.mem_refs > 0 || waits_for_others(in.op)));
  }
}

void for_each_poll(const PollingLoads& loads, const WarpTrace& w, const std::function<void(const Poll&)>& f) {
  PollFinder(loads, w, f).run();
}

RecorderClock::RecorderClock(const KernelImage& image, const BlockTrace& block)
    : barriers_(block.warps.size()) {
  for (size_t i = 0; i < block.warps.size(); ++i) {
    uint64_t instructions = 0;
    for (const Run& r : block.warps[i].runs) {
      for (uint32_t k = 0; r.mask && k < r.count; ++k) {
        if (is_block_barrier(image.code[r.first + k])) {
          barriers_[i].push_back(instructions + k);
        }
      }
      instructions += r.count;
    }
  }
  for (size_t n = 0;; ++n) {
    uint64_t latest = 0;
    bool some = false;
    for (const std::vector<uint64_t>& b : barriers_) {
      if (n < b.size()) {
        some = true;
        latest = std::max(latest, n == 0 ? b[0] : together_[n - 1] + (b[n] - b[n - 1]));
      }
    }
    if (!some) {
      break;
    }
    together_.push_back(latest);
  }
}

uint64_t RecorderClock::time(size_t warp, uint64_t instructions) const {
  const std::vector<uint64_t>& b = barriers_[warp];
  const auto n = static_cast<size_t>(std::lower_bound(b.begin(), b.end(), instructions) - b.begin());
  return n == 0 ? instructions : together_[n - 1] + (instructions - b[n - 1]);
}

RecordedFlags::RecordedFlags(BlockSource& source) : loads_(source.image()) {
  if (!loads_.any() || !source.start_over()) {
    return;
  }
  if (!(find_words(source) && source.start_over() && find_writes(source))) {
    writes_.clear();
  }
  source.want_refs_of(std::vector<bool>(source.image().code.size(), true));
  source.start_over();
}

bool RecordedFlags::find_words(BlockSource& source) {
  const KernelImage& image = source.image();
  std::vector<bool> wanted(image.code.size());
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = loads_.polls(i);
  }
  source.want_refs_of(wanted);
  for (BlockTrace block; writes_.size() <= kMostWords && source.next(block);) {
    for (const WarpTrace& w : block.warps) {
      for_each_poll(loads_, w, [&](const Poll& p) {
        for (const uint64_t word : p.words) {
          writes_[word];
        }
      });
    }
  }
  return !writes_.empty() && writes_.size() <= kMostWords;
}

bool RecordedFlags::find_writes(BlockSource& source) {
  const KernelImage& image = source.image();
  writing_.assign(image.code.size(), false);
  std::vector<bool> wanted(image.code.size());
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = may_write(image.code[i].op) && image.code[i].mem_refs > 0;
  }
  source.want_refs_of(wanted);
  size_t n = 0;
  for (BlockTrace block; n <= kMostWrites && source.next(block);) {
    const RecorderClock clock(image, block);
    for (size_t i = 0; i < block.warps.size(); ++i) {
      for_each_write(image, wanted, block.warps[i], [&](uint32_t code, uint64_t word, uint64_t instructions) {
        if (const auto flag = writes_.find(word); flag != writes_.end()) {
          add(flag->second, block.linear, clock.time(i, instructions));
          writing_[code] = true;
          ++n;
        }
      });
    }
  }
  for (auto& [word, blocks] : writes_) {
    for (Writes& w : blocks) {
      std::sort(w.times.begin(), w.times.end());
    }
  }
  return n > 0 && n <= kMostWrites;
}

void RecordedFlags::add(std::vector<Writes>& all, uint64_t block, uint64_t time) {
  if (all.empty() || all.back().block != block) {
    all.push_back({block, {}});
  }
  all.back().times.push_back(time);
}

uint64_t RecordedFlags::needed(uint64_t word, uint64_t block, uint32_t visit, uint64_t time) const {
  const auto flag = writes_.find(word);
  if (flag == writes_.end()) {
    return 0;
  }
  uint64_t needed = 0;
  bool others = false;
  for (const Writes& w : flag->second) {
    others |= w.block != block;
    const auto seen = std::lower_bound(w.times.begin(), w.times.end(), time) - w.times.begin();
    needed += std::min<uint64_t>(static_cast<uint64_t>(seen), visit);
  }
  // Of blocks that were launched later the recorder's time does not count from the same beginning.
  return others ? std::max<uint64_t>(needed, 1) : 0;
}

void FlagBoard::written(uint64_t word, uint64_t cycle) {
  const std::lock_guard lock(mutex_);
  std::vector<uint64_t>& c = cycles_[word];
  c.insert(std::upper_bound(c.begin(), c.end(), cycle), cycle);  // nearly always at the end
}

uint64_t FlagBoard::count(uint64_t word, uint64_t until) const {
  const std::lock_guard lock(mutex_);
  const auto c = cycles_.find(word);
  return c == cycles_.end()
             ? 0
             : static_cast<uint64_t>(std::upper_bound(c->second.begin(), c->second.end(), until) -
                                     c->second.begin());
}

}  // namespace heddle::isa
