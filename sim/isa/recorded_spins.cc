#include "sim/isa/recorded_spins.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace heddle::isa {
namespace {

// Warp instructions from a wait to the next one. A loop that does more than wait is no spin; nor are two
// waits that stand further apart than the one that sleeps from the one that asks again.
constexpr uint64_t kLongestTurn = 64, kLongestRetry = 8;

// A warp's stream as it is written anew, up to some instruction.
struct Place {
  size_t runs = 0, references = 0;
  uint32_t last = 0;  // instructions of the last run
  uint64_t instructions = 0;
};

class Rewriter {
 public:
  Rewriter(const RecordedSyncs& syncs, WarpTrace& w) : syncs_(syncs), w_(w) {
    runs_.reserve(w.runs.size());
    references_.reserve(w.refs.size());
  }

  void run() {
    for (const Run& r : w_.runs) {
      const uint32_t end = r.first + r.count;
      uint32_t from = r.first;
      for (uint32_t i = r.mask ? syncs_.next_wait(r.first) : end; i < end; i = syncs_.next_wait(i + 1)) {
        add(from, i, r.mask);
        wait(i, r.mask);
        add(i, i + 1, r.mask);
        from = i + 1;
      }
      add(from, end, r.mask);
    }
    w_.runs.swap(runs_);
    w_.refs.swap(references_);
    w_.instructions = instructions_;
  }

 private:
  // Instructions first, ..., end - 1.
  void add(uint32_t first, uint32_t end, uint32_t mask) {
    if (first == end) {
      return;
    }
    if (!runs_.empty() && runs_.back().mask == mask && runs_.back().first + runs_.back().count == first) {
      runs_.back().count += end - first;
    } else {
      runs_.push_back({first, end - first, mask});
    }
    instructions_ += end - first;
    if (mask) {
      const uint32_t n = syncs_.references(first, end);
      references_.insert(references_.end(), w_.refs.begin() + static_cast<ptrdiff_t>(read_),
                         w_.refs.begin() + static_cast<ptrdiff_t>(read_ + n));
      read_ += n;
    }
    touched_ |= syncs_.touches(first, end);
  }

  // The wait number `code` is next: if it is the one before once more, what lies between goes.
  void wait(uint32_t code, uint32_t mask) {
    const MemRef& r = w_.refs[read_];
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    uint64_t address[32];
    const bool known = expand(w_, r, mask, address) && r.count > 0;
    const Wait next = {code, mask, known ? address[lane] : 0, parity_of(syncs_operand(w_, r, 0))};
    const uint64_t most = code == last_.code ? kLongestTurn : kLongestRetry;
    if (known && have_ && next.same_phase(last_) && !touched_ &&
        instructions_ - before_.instructions <= most) {
      runs_.resize(before_.runs);
      references_.resize(before_.references);
      if (!runs_.empty()) {
        runs_.back().count = before_.last;
      }
      instructions_ = before_.instructions;
    }
    before_ = {runs_.size(), references_.size(), runs_.empty() ? 0 : runs_.back().count, instructions_};
    last_ = next;
    have_ = known;
    touched_ = false;
  }

  struct Wait {
    uint32_t code = 0, mask = 0;
    uint64_t address = 0;
    uint8_t parity = 0;
    bool same_phase(const Wait& o) const {
      return mask == o.mask && address == o.address && parity == o.parity;
    }
  };

  const RecordedSyncs& syncs_;
  WarpTrace& w_;
  std::vector<Run> runs_;
  std::vector<MemRef> references_;
  size_t read_ = 0;
  uint64_t instructions_ = 0;
  Wait last_;
  bool have_ = false;
  bool touched_ = false;  // something else since then
  Place before_;          // it
};

}  // namespace

uint64_t leave_out_spins(const RecordedSyncs& syncs, WarpTrace& w) {
  if (!syncs.waits()) {
    return 0;
  }
  const uint64_t before = w.instructions;
  Rewriter(syncs, w).run();
  return before - w.instructions;
}

}  // namespace heddle::isa
