#include "frontends/cubin/execute/known_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>

#include "sim/exec/arith/words.h"
#include "sim/exec/special.h"
#include "sim/isa/launch_order.h"

namespace heddle::cubin {
namespace {

using exec::Bank;
using exec::Kind;
using exec::Slot;
using exec::SyncKind;
using exec::arith::WordOp;

constexpr uint32_t kAll = ~uint32_t{0};

// Calls f(slot) for each register that the instruction writes.
template <class F>
void for_results(const exec::Code& code, const exec::Inst& in, F f) {
  std::for_each(std::begin(in.d), std::end(in.d), f);
  if (in.kind == Kind::kCompute && in.fn == exec::arith::word_fn(WordOp::kScatter)) {
    for (uint32_t i = 1; i < exec::arith::kGathered; ++i) {
      f(in.d[0] + i);
    }
  } else if (in.kind == Kind::kMemory) {
    const exec::MemoryOp& m = code.memory[in.target];
    if (m.kind != exec::MemoryOp::Kind::kStore) {
      std::for_each(std::begin(m.values), std::end(m.values), f);
    }
  } else if (in.kind == Kind::kMatrix) {
    const std::vector<Slot>& d = code.matrix[in.target].d.slots;
    std::for_each(d.begin(), d.end(), f);
  }
}

}  // namespace

BarrierSlice::BarrierSlice(const isa::KernelImage& image, const Translation& translation)
    : image_(image), code_(translation.code) {
  for (uint32_t i = 0; i < translation.origins.size(); ++i) {
    while (first_.size() <= translation.origins[i]) {
      first_.push_back(i);
    }
  }
  first_.resize(image.code.size() + 1, static_cast<uint32_t>(code_.insts.size()));
  find();
}

// Backwards from the barriers, whichever way lanes go: what writes a register that one of these reads. What
// an instruction reads behind having written it itself is its own.
void BarrierSlice::find() {
  const auto n = static_cast<uint32_t>(image_.code.size());
  std::vector<bool> matters(n);
  std::vector<std::set<Slot>> reads(n), writes(n);
  for (uint32_t i = 0; i < n; ++i) {
    matters[i] = isa::in_register(image_.code[i]);
    for (uint32_t k = first_[i]; k < first_[i + 1]; ++k) {
      const exec::Inst& in = code_.insts[k];
      if (in.kind == Kind::kCompute || in.kind == Kind::kSync || in.kind == Kind::kBarrier) {
        std::copy_if(std::begin(in.s), std::end(in.s), std::inserter(reads[i], reads[i].end()),
                     [&](Slot s) { return !writes[i].contains(s); });
      }
      for_results(code_, in, [&](Slot s) { writes[i].insert(s); });
    }
    writes[i].erase(exec::kNoSlot);
  }
  std::set<Slot> read;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < n; ++i) {
      matters[i] = matters[i] ||
                   std::any_of(writes[i].begin(), writes[i].end(), [&](Slot s) { return read.contains(s); });
      if (matters[i]) {
        const size_t before = read.size();
        read.insert(reads[i].begin(), reads[i].end());
        more |= read.size() != before;
      }
    }
  }
  next_.assign(n + 1, n);
  for (uint32_t i = n; i-- > 0;) {
    next_[i] = matters[i] ? i : next_[i + 1];
  }
}

KnownValues::KnownValues(const BarrierSlice& slice, const isa::Dim3& block)
    : slice_(slice), code_(slice.code()), block_(block) {
  for (const exec::Register& r : code_.constants) {
    constants_.push_back({r, kAll});
  }
  const std::vector<uint8_t>& parameters = slice_.image().parameters;
  for (const exec::Code::ParameterWord& w : code_.parameter_words) {
    Value& v = constants_[w.constant];
    v.known = 0;
    if (uint32_t word = 0; uint64_t{w.offset} + sizeof word <= parameters.size()) {
      std::memcpy(&word, parameters.data() + w.offset, sizeof word);
      v.lanes.fill(word);
      v.known = kAll;
    }
  }
}

void KnownValues::start(uint32_t warp) {
  const isa::LaunchShape& shape = slice_.image().shape;
  const uint64_t position = isa::position_of(block_, shape.grid, shape.cluster);
  exec::ThreadPlace place = {shape.grid, shape.block, shape.cluster, block_,
                             static_cast<uint32_t>(position % shape.cluster.count())};
  frame_.assign(code_.functions.front().registers, {});
  warp_.assign(exec::kFirstSpecial + code_.specials.size(), {});
  for (size_t i = 0; i < code_.specials.size(); ++i) {
    Value& v = warp_[exec::kFirstSpecial + i];
    for (uint32_t lane = 0; lane < exec::kLanes; ++lane) {
      place.thread = warp * exec::kLanes + lane;
      if (const auto is = exec::special_of_place(code_.specials[i], place)) {
        v.lanes[lane] = *is;
        v.known = kAll;
      }
    }
  }
}

KnownValues::Value* KnownValues::at(Slot s) {
  std::vector<Value>* const banks[] = {&frame_, &constants_, &warp_};
  const uint32_t bank = s >> 30, index = s & exec::kSlotIndex;
  return bank < static_cast<uint32_t>(Bank::kNone) && index < banks[bank]->size() ? &(*banks[bank])[index]
                                                                                  : nullptr;
}

bool KnownValues::is_known(Slot s, uint32_t mask) {
  const Value* v = at(s);
  return v == nullptr ? s == exec::kNoSlot : (mask & ~v->known) == 0;
}

void KnownValues::forget(Slot s) {
  if (Value* v = at(s)) {
    v->known = 0;
  }
}

void KnownValues::compute(const exec::Inst& in, uint32_t mask) {
  const auto is = [&](WordOp op) { return in.fn == exec::arith::word_fn(op); };
  if (is(WordOp::kGather) || is(WordOp::kScatter)) {
    for_results(code_, in, [&](Slot s) { forget(s); });
    return;
  }
  const bool of_warp = is(WordOp::kBroadcast) || is(WordOp::kBallot) || is(WordOp::kVote);
  const uint32_t read = in.sub != 0 ? kAll : is(WordOp::kBroadcast) ? mask & (~mask + 1) : mask;
  exec::Arguments a;
  uint32_t known = read;
  for (size_t i = 0; i < std::size(in.s); ++i) {
    Value* v = at(in.s[i]);
    a.s[i] = v ? &v->lanes : nullptr;
    known &= v ? v->known : in.s[i] == exec::kNoSlot ? kAll : 0;
  }
  Value& carry = warp_.front();
  a.carry = &carry.lanes;
  a.control = static_cast<uint64_t>(in.offset);
  for (size_t i = 0; i < std::size(in.d); ++i) {
    Value* v = at(in.d[i]);
    a.d[i] = v ? &v->lanes : nullptr;
  }
  in.fn(a, in.sub != 0 ? kAll : mask);
  for (const Slot d : in.d) {
    if (Value* v = at(d); v != nullptr && (of_warp || in.sub != 0)) {
      v->known = known == read ? kAll : 0;
    } else if (v != nullptr) {
      v->known = (v->known & ~mask) | known;
    }
  }
}

// A value that is the same in all lanes comes back from each of them.
void KnownValues::synchronise(const exec::Inst& in, uint32_t mask) {
  const bool shuffles = in.sub <= static_cast<uint8_t>(SyncKind::kShflIdx);
  Value *from = at(in.s[0]), *to = at(in.d[0]);
  const bool same = shuffles && from != nullptr && to != nullptr && is_known(in.s[0], mask);
  const uint64_t value = same ? from->lanes[static_cast<size_t>(std::countr_zero(mask))] : 0;
  bool all = same;
  for (uint32_t m = mask; all && m != 0; m &= m - 1) {
    all = from->lanes[static_cast<size_t>(std::countr_zero(m))] == value;
  }
  forget(in.d[1]);
  if (!all) {
    forget(in.d[0]);
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    to->lanes[static_cast<size_t>(std::countr_zero(m))] = value;
  }
  to->known |= mask;
}

void KnownValues::execute(const exec::Inst& in, uint32_t mask) {
  if (in.kind == Kind::kCompute) {
    compute(in, mask);
  } else if (in.kind == Kind::kSync) {
    synchronise(in, mask);
  } else {
    for_results(code_, in, [&](Slot s) { forget(s); });
  }
}

bool KnownValues::find_barrier(const exec::Inst& in, uint32_t mask, isa::WarpTrace& w) {
  const uint32_t lane = mask & (~mask + 1);
  if (!is_known(in.s[0], lane) || !is_known(in.s[1], lane)) {
    return false;
  }
  const auto first = static_cast<size_t>(std::countr_zero(mask));
  isa::BarrierOp op;
  op.number = static_cast<uint8_t>(at(in.s[0])->lanes[first] % isa::kNamedBarriers);
  op.threads = in.s[1] == exec::kNoSlot ? 0 : static_cast<uint32_t>(at(in.s[1])->lanes[first]);
  w.barriers.push_back(op);
  return true;
}

bool KnownValues::find_barriers(isa::WarpTrace& w) {
  start(w.warp);
  w.barriers.clear();
  for (const isa::Run& r : w.runs) {
    const uint32_t end = r.first + r.count;
    for (uint32_t i = slice_.next(r.first); r.mask != 0 && i < end; i = slice_.next(i + 1)) {
      const bool wanted = isa::in_register(slice_.image().code[i]);
      for (uint32_t k = slice_.first(i); k < slice_.first(i + 1); ++k) {
        const exec::Inst& in = code_.insts[k];
        if (wanted && in.kind == Kind::kBarrier && !find_barrier(in, r.mask, w)) {
          return false;
        }
        execute(in, r.mask);
      }
    }
  }
  return true;
}

}  // namespace heddle::cubin
