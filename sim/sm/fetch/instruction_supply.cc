#include "sim/sm/fetch/instruction_supply.h"

#include <algorithm>

namespace heddle::sm {

void LineCache::reset(uint32_t capacity) {
  entries_.clear();
  present_.clear();
  capacity_ = std::max(1u, capacity);
  clock_ = 0;
}

void LineCache::add(uint32_t first, uint32_t count) {
  std::erase_if(present_, [&](uint32_t line) { return line >= first && line - first < count; });
  entries_.resize(std::max<size_t>(entries_.size(), first + count));
  std::fill_n(entries_.begin() + first, count, Entry{});
}

void LineCache::insert(uint32_t line, Cycle ready) {
  if (entries_[line].ready == kNever) {
    if (present_.size() >= capacity_) {
      auto oldest = std::min_element(present_.begin(), present_.end(), [this](uint32_t a, uint32_t b) {
        return entries_[a].stamp < entries_[b].stamp;
      });
      entries_[*oldest].ready = kNever;
      *oldest = line;
    } else {
      present_.push_back(line);
    }
  }
  entries_[line] = {ready, ++clock_};
}

InstructionSupply::InstructionSupply(const spec::InstructionFetch& fetch, uint32_t subcores,
                                     stats::CounterSet& counters, FetchPort port)
    : config_(fetch), counters_(counters), port_(port), l0_(subcores), stream_(subcores) {}

void InstructionSupply::reset() {
  lines_ = 0;
  for (LineCache& c : l0_) {
    c.reset(config_.l0_bytes() / config_.line_bytes());
  }
  std::fill(stream_.begin(), stream_.end(), Stream{});
  l1_.reset(config_.l1_bytes() / config_.line_bytes());
  gcc_.reset(config_.gcc_bytes() / config_.line_bytes());
  l1_port_ = gcc_port_ = 0;
  seen_.clear();
  kernels_.clear();
}

void InstructionSupply::add(uint32_t first, uint32_t count, uint32_t tpcs) {
  lines_ = std::max(lines_, first + count);
  std::erase_if(kernels_, [first](const Kernel& k) { return k.first == first; });
  const uint32_t end = std::min(count, config_.launch_prefetch_bytes() / config_.line_bytes());
  kernels_.push_back({.first = first, .count = count, .tpcs = tpcs});
  for (LineCache& c : l0_) {
    c.add(first, count);
  }
  l1_.add(first, count);
  gcc_.add(first, count);
  seen_.resize(lines_);
  std::fill_n(seen_.begin() + first, count, false);
  for (uint32_t line = 0; line < end; ++line) {
    if (line >= config_.first_fetch_bytes() / config_.line_bytes()) {
      l1_.insert(first + line, 0);
    }
    gcc_.insert(first + line, 0);
    seen_[first + line] = true;
  }
}

InstructionSupply::Kernel* InstructionSupply::kernel_of(uint32_t line) {
  const auto k = std::find_if(kernels_.begin(), kernels_.end(), [line](const Kernel& k) {
    return line >= k.first && line - k.first < k.count;
  });
  return k == kernels_.end() ? nullptr : &*k;
}

// `now`, or when the first line of the kernel that `line` belongs to can be there.
Cycle InstructionSupply::opened(uint32_t line, Cycle now) {
  Kernel* k = kernel_of(line);
  if (!k) {
    return now;
  }
  if (k->open == kNever) {
    k->open = now + config_.launch_latency();
  }
  return std::max(now, k->open);
}

// When the launch has brought `line` of a kernel into the L1. The SMs of a GPC get it together, behind what
// else the launch writes, which takes longer for many of them (FINDINGS.md 54, 57).
Cycle InstructionSupply::brought(const Kernel& k, uint32_t line) const {
  const uint32_t number = line - k.first;
  if (number < config_.launch_lines()) {
    return k.open;
  }
  return k.open + static_cast<Cycle>(
                      std::max(config_.launch_line_wait() * k.tpcs, config_.launch_line_interval() * number));
}

// When the L1 has `line`, which it asks for if need be.
Cycle InstructionSupply::into_l1(uint32_t line, Cycle now) {
  const Cycle there = l1_.ready(line);
  if (there != kNever) {
    l1_.touch(line);
    // Null: fetch has run ahead into what a kernel that has ended has left behind.
    const Kernel* k = there == 0 ? kernel_of(line) : nullptr;
    if (!k) {
      return there;
    }
    const Cycle at_l1 = std::min(brought(*k, line), now + config_.gcc_latency());
    l1_.insert(line, at_l1);
    return at_l1;
  }
  ++counters_[stats::Counter::kFetchL1Misses];
  Cycle at_gcc = gcc_.ready(line);
  if (at_gcc == kNever) {
    ++counters_[stats::Counter::kFetchGccMisses];
    const uint64_t address = memory::kCodeLines + uint64_t{line} * config_.line_bytes() / memory::kLineBytes;
    const Cycle first = port_.first(address, now);
    at_gcc = seen_[line]       ? now + config_.l2_latency()
             : first != kNever ? std::max(now + config_.l2_latency(), first + config_.dram_latency())
                               : now + config_.dram_latency();
    seen_[line] = true;
    gcc_.insert(line, at_gcc);
    port_.send(address, now);
  } else {
    gcc_.touch(line);
  }
  gcc_port_ = std::max(gcc_port_ + config_.gcc_interval(), std::max(now, at_gcc));
  const Cycle at_l1 = std::max(gcc_port_, now) + config_.gcc_latency();
  l1_.insert(line, at_l1);
  return at_l1;
}

// Brings `line` into the L0 of `subcore`; returns when it arrives, not before `not_before`.
Cycle InstructionSupply::fetch(uint32_t subcore, uint32_t line, Cycle now, Cycle not_before) {
  now = opened(line, now);
  Cycle at_l1 = into_l1(line, now);
  // A line that is on its way goes on to all who wait for it when it comes (FINDINGS.md 49); what the L1 has
  // is read, one line after the other.
  if (at_l1 <= now) {
    at_l1 = l1_port_ = std::max(l1_port_ + config_.l1_interval(), now);
  }
  const Cycle at_l0 = std::max(at_l1 + config_.l1_latency(), not_before);
  l0_[subcore].insert(line, at_l0);
  return at_l0;
}

// A warp has come to `line`: the next ones, some of them into the L0, more into the L1 (FINDINGS.md 50, 57).
void InstructionSupply::run_ahead(uint32_t subcore, uint32_t line, uint32_t lines, Cycle now) {
  Stream& s = stream_[subcore];
  const uint32_t wanted = std::min(lines_, line + 1 + lines);
  if (s.next >= wanted) {
    return;
  }
  for (; s.next < wanted; ++s.next) {
    if (l0_[subcore].ready(s.next) == kNever) {
      s.last = fetch(subcore, s.next, now, s.last + config_.prefetch_interval());
    }
  }
  const uint32_t end = std::min(lines_, line + 1 + config_.l1_prefetch_lines());
  for (uint32_t ahead = s.next; ahead < end; ++ahead) {
    if (l1_.ready(ahead) == kNever) {
      into_l1(ahead, opened(ahead, now));
    }
  }
}

Cycle InstructionSupply::want(uint32_t subcore, uint32_t line, Cycle now) {
  if (config_.model() == spec::InstructionFetch::PERFECT) {
    return now;
  }
  Stream& s = stream_[subcore];
  uint32_t ahead = config_.prefetch_lines();
  Cycle ready = l0_[subcore].ready(line);
  if (ready == kNever) {
    const Kernel* k = kernel_of(line);
    if (k && line == k->first && config_.launch_lines() > 0) {
      ahead = config_.launch_lines() - 1;
    }
    ++counters_[stats::Counter::kFetchL0Misses];
    ready = fetch(subcore, line, now, 0);
    s = {line + 1, line, ready};
  } else {
    l0_[subcore].touch(line);
  }
  if (line >= s.first && line < s.next) {
    run_ahead(subcore, line, ahead, now);
  }
  return std::max(ready, now);
}

}  // namespace heddle::sm
