#include "sim/isa/recorded_phases.h"

#include <algorithm>
#include <bit>

#include "sim/isa/recorded_copy.h"

namespace heddle::isa {
namespace {

struct Seen {
  uint64_t arrivals = 0;
  uint32_t most = 0;     // instructions of one warp that arrive
  uint32_t waited = 0;   // phases that one warp has waited for
  uint64_t word = 0;     // it is initialised with; 0: not recorded
  bool odd = false;      // something that cannot be followed
  bool expects = false;  // bytes,
  bool fed = false;      // which a copy brings
};

// What one warp does to one object.
struct Steps {
  uint32_t arrivals = 0;
  uint32_t phases = 0;
  int parity = -1;
};

bool is_wait(const Instr& in) {
  return in.op == OpClass::kMbarrier && in.mem_refs > 0 && in.syncs.kind == SyncsForm::Kind::kWait;
}
bool waits_for_others(OpClass op) {
  return op == OpClass::kBarrier || op == OpClass::kClusterBarrier || op == OpClass::kClusterWait ||
         op == OpClass::kMembar || op == OpClass::kExit;
}
bool is_step(const Instr& in) {
  return in.mem_refs > 0 && (in.op == OpClass::kMbarrier || in.op == OpClass::kTensorCommit ||
                             is_load(in.async.kind) || (in.flags & kFlagAsyncStore));
}

// The steps of one block.
class Finder {
 public:
  explicit Finder(const RecordedSyncs& syncs) : syncs_(syncs) {}

  void warp(const WarpTrace& w) {
    steps_.clear();
    warps_.emplace_back();
    syncs_.for_each(w, [&](uint32_t code, uint32_t mask, const MemRef& r) {
      const Instr& in = syncs_.image().code[code];
      if (in.op == OpClass::kMbarrier) {
        sync(w, in.syncs, mask, r);
      } else if (in.op == OpClass::kTensorCommit) {  // also for those that other blocks send here
        lane({.kind = SyncsForm::Kind::kArrive, .arrivals = 1}, r.base & kSharedOffset, 0, true, true);
      } else if (in.flags & kFlagAsyncStore) {
        seen_[syncs_operand(w, r, 0) & kSharedOffset].fed |= r.count > 0;
      } else {
        copy(w, in, r);
      }
    });
    for (const auto& [at, own] : steps_) {
      Seen& s = seen_[at];
      s.most = std::max(s.most, own.arrivals);
      s.waited = std::max(s.waited, own.phases);
    }
  }

  // What an initialisation says is certain where other blocks of the cluster can arrive, too; the rest is
  // rehearsed.
  std::map<uint64_t, RehearsedBarrier> barriers() const {
    const bool alone = syncs_.image().shape.cluster.count() == 1;
    std::map<uint64_t, RehearsedBarrier> certain, shared_out;
    for (const auto& [at, s] : seen_) {
      if (const RehearsedBarrier b = barrier(s); b.arrivals > 0) {
        (s.word != 0 && !alone ? certain : shared_out)[at] = b;
      }
    }
    rehearse(warps_, shared_out);
    shared_out.merge(certain);
    return shared_out;
  }

 private:
  RecordedPhases::Barrier barrier(const Seen& s) const {
    RecordedPhases::Barrier b;
    if (s.odd || (s.expects && !s.fed && !syncs_.feeds_others())) {
      return b;
    }
    if (s.word != 0) {
      b.arrivals = initial_arrivals(s.word);
      b.parity = static_cast<uint8_t>(s.word >> kParityAt);
      return b;
    }
    // One wait more than there are arrivals: the first ended at once.
    const bool odd = !s.expects && s.most > 0 && s.waited == s.most + 1;
    const uint64_t phases = odd ? s.most : std::max(s.most, s.waited);
    if (phases > 0 && s.arrivals % phases == 0) {
      b.arrivals = static_cast<uint32_t>(s.arrivals / phases);
      b.parity = odd;
      b.may_begin_odd = !s.expects && !odd;
    }
    return b;
  }
  void copy(const WarpTrace& w, const Instr& in, const MemRef& r) {
    RecordedCopy c;
    if (r.kind == MemRef::Kind::kValues) {
      read_copy(syncs_.image(), in, std::span(w.values).subspan(r.list, r.count), UINT64_MAX, c);
      Seen& s = seen_[c.op.barrier];
      s.fed |= c.known;
      s.odd |= !c.known;
    }
  }

  void sync(const WarpTrace& w, const SyncsForm& form, uint32_t mask, const MemRef& r) {
    uint64_t address[32];
    if (!expand(w, r, mask, address)) {
      return;
    }
    uint64_t last = UINT64_MAX;
    uint32_t k = 0;
    for (uint32_t m = mask; m; m &= m - 1, ++k) {
      const uint64_t at = address[std::countr_zero(m)] & kSharedOffset;
      lane(form, at, syncs_operand(w, r, k), r.count > 0, at != last);
      last = at;
    }
  }

  void lane(const SyncsForm& form, uint64_t at, uint64_t operand, bool known, bool first) {
    Seen& s = seen_[at];
    Steps& own = steps_[at];
    switch (form.kind) {
      case SyncsForm::Kind::kInit:
        s.word = operand;
        break;
      case SyncsForm::Kind::kArrive: {
        s.expects |= form.bytes != SyncsForm::Bytes::kNone;
        s.odd |= !known && (form.arrivals_in_operand || form.bytes != SyncsForm::Bytes::kNone);
        const uint64_t n = form.arrivals_in_operand ? operand : form.arrivals;
        s.arrivals += n;
        own.arrivals += n > 0 && first;
        if (n > 0) {
          warps_.back().push_back({.at = at, .arrivals = static_cast<uint32_t>(n)});
        }
        break;
      }
      case SyncsForm::Kind::kWait:
        s.odd |= !known;
        if (first) {
          warps_.back().push_back({.at = at, .parity = parity_of(operand)});
        }
        if (own.parity != parity_of(operand)) {
          // The first phase of an object is 0; a wait with the other parity ends at once.
          own.phases += own.parity >= 0 || parity_of(operand) == 0;
          own.parity = parity_of(operand);
        }
        break;
      case SyncsForm::Kind::kArriveCopies:
        s.odd = true;
        break;
      default:
        break;
    }
  }

  const RecordedSyncs& syncs_;
  std::map<uint64_t, Seen> seen_;
  std::map<uint64_t, Steps> steps_;  // of the warp
  std::vector<std::vector<SyncStep>> warps_;
};

}  // namespace

RecordedSyncs::RecordedSyncs(const KernelImage& image) : image_(image) {
  const auto size = static_cast<uint32_t>(image.code.size());
  references_.resize(size + 1);
  touching_.resize(size + 1);
  next_.assign(size + 1, size);
  next_wait_ = next_;
  for (uint32_t i = 0; i < size; ++i) {
    const Instr& in = image.code[i];
    references_[i + 1] = references_[i] + in.mem_refs;
    waits_ |= is_wait(in);
    touching_[i + 1] = touching_[i] + (!is_wait(in) && (in.mem_refs > 0 || waits_for_others(in.op)));
    feeds_others_ |= in.async.multicast || (in.flags & kFlagAsyncStore);
  }
  for (uint32_t i = size; i-- > 0;) {
    next_[i] = is_step(image.code[i]) ? i : next_[i + 1];
    next_wait_[i] = is_wait(image.code[i]) ? i : next_wait_[i + 1];
  }
}

void RecordedPhases::find(const RecordedSyncs& syncs, const BlockTrace& block) {
  barriers_.clear();
  if (!syncs.waits()) {
    return;
  }
  Finder finder(syncs);
  for (const WarpTrace& w : block.warps) {
    finder.warp(w);
  }
  barriers_ = finder.barriers();
}

}  // namespace heddle::isa
