#include "frontends/trace/run_coder.h"

#include <algorithm>

namespace heddle::trace {

namespace {

uint32_t end_of(const isa::Run* r) { return r ? r->first + r->count : 0; }

}  // namespace

void RunCoder::reset() {
  for (size_t i = 0; i < at_.size(); ++i) {
    at_[i] = Start();
    at_[i].next = static_cast<uint32_t>(i + 1);
  }
  entry_ = 0;
  latest_.fill(0);
  latest_[0] = UINT32_MAX;
}

uint32_t RunCoder::expected_first(const isa::Run* previous) const {
  return previous ? at_[previous->first].next : entry_;
}

void RunCoder::learn(const isa::Run* previous, const isa::Run& run) {
  (previous ? at_[previous->first].next : entry_) = run.first;
  at_[run.first].count = run.count;
  at_[run.first].mask = run.mask;
  auto it = std::find(latest_.begin(), latest_.end() - 1, run.mask);
  std::move_backward(latest_.begin(), it, it + 1);
  latest_[0] = run.mask;
}

void RunCoder::put(const std::vector<isa::Run>& path, std::string& runs, std::string& masks) {
  put_varint(runs, path.size());
  const isa::Run* previous = nullptr;
  for (const isa::Run& r : path) {
    const bool jumps = r.first != expected_first(previous);
    const bool length = r.count != at_[r.first].count;
    auto mask = static_cast<uint32_t>(std::find(latest_.begin(), latest_.end(), r.mask) - latest_.begin());
    if (mask > 0 && r.mask == at_[r.first].mask) {
      mask = kAsLastTime;
    } else if (mask == kLatest) {
      mask = kExplicit;
      for (int i = 0; i < 4; ++i) {
        masks.push_back(static_cast<char>(r.mask >> 8 * i));
      }
    }
    runs.push_back(static_cast<char>((jumps ? 1 : 0) | (length ? 2 : 0) | mask << 2));
    if (jumps) {
      put_varint(runs, zigzag(uint64_t{r.first} - end_of(previous)));
    }
    if (length) {
      put_varint(runs, r.count);
    }
    learn(previous, r);
    previous = &r;
  }
}

bool RunCoder::get(ColumnReader& runs, ColumnReader& masks, std::vector<isa::Run>& path) {
  path.clear();
  const isa::Run* previous = nullptr;
  isa::Run last;
  for (uint64_t n = runs.varint(); n > 0; --n) {
    const uint8_t how = runs.byte();
    uint64_t first = expected_first(previous);
    if (how & 1) {
      first = end_of(previous) + runs.signed_varint();
    }
    if (!runs.good() || first >= at_.size()) {
      return false;
    }
    const uint64_t count = how & 2 ? runs.varint() : at_[first].count;
    if (count == 0 || count > at_.size() - first) {
      return false;
    }
    isa::Run r = {static_cast<uint32_t>(first), static_cast<uint32_t>(count), at_[first].mask};
    if (const uint32_t mask = how >> 2; mask < kLatest) {
      r.mask = latest_[mask];
    } else if (mask == kExplicit) {
      r.mask = 0;
      for (int i = 0; i < 4; ++i) {
        r.mask |= uint32_t{masks.byte()} << 8 * i;
      }
    } else if (mask != kAsLastTime) {
      return false;
    }
    path.push_back(r);
    learn(previous, r);
    last = r;
    previous = &last;
  }
  return runs.good() && masks.good();
}

}  // namespace heddle::trace
