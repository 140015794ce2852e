#include "frontends/cuda/nested_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace heddle::cuda {
namespace {

using What = host::DeviceCall::What;
using Into = host::DeviceCall::Into;

// What is the same about calls that are one in the model.
using Kind = std::tuple<What, Into, uint64_t, uint64_t, uint32_t>;  // stream, event, kernel

Kind kind_of(const NestedCall& c) {
  constexpr What kWhat[] = {What::kLaunch, What::kEventRecord, What::kStreamWaitEvent};
  constexpr Into kInto[] = {Into::kNullStream, Into::kStream, Into::kFireAndForget, Into::kTail};
  return {kWhat[static_cast<int>(c.op.what)], kInto[static_cast<int>(c.op.into)], c.op.stream, c.op.event,
          c.kernel};
}

// Calls of one block, one after the other, that are all of a kind.
struct Run {
  Kind kind;
  uint32_t threads = 0, times = 0;
  double after = 0;
};

std::vector<Run> runs_of(const NestedCall* begin, const NestedCall* end) {
  std::vector<Run> out;
  while (begin != end) {
    Run r{kind_of(*begin), 0, 0, begin->op.after};
    const NestedCall* last = begin;
    std::set<uint32_t> threads;
    for (; last != end && kind_of(*last) == r.kind; ++last) {
      threads.insert(last->op.by_thread);
    }
    const auto calls = static_cast<uint32_t>(last - begin);
    const auto n = static_cast<uint32_t>(threads.size());
    r.threads = calls % n == 0 ? n : 1;
    r.times = calls / r.threads;
    out.push_back(r);
    begin = last;
  }
  return out;
}

uint32_t number_of(std::vector<std::string>& names, const char* what, uint64_t which) {
  const std::string name = fmt::format("{} {}", what, which);
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) {
    return static_cast<uint32_t>(it - names.begin());
  }
  names.push_back(name);
  return static_cast<uint32_t>(names.size() - 1);
}

}  // namespace

void add_calls(host::KernelDesc& kernel, const std::vector<NestedCall>& calls, host::Ps block) {
  // By the place in the block's order, then by what it is.
  struct Same {
    uint64_t blocks = 0;
    double after = 0;  // the sum of theirs
  };
  std::map<size_t, std::map<std::tuple<Kind, uint32_t, uint32_t>, Same>> places;
  for (size_t i = 0; i < calls.size();) {
    size_t end = i;
    while (end < calls.size() && calls[end].op.by_block == calls[i].op.by_block) {
      ++end;
    }
    const std::vector<Run> runs = runs_of(calls.data() + i, calls.data() + end);
    for (size_t k = 0; k < runs.size(); ++k) {
      Same& s = places[k][{runs[k].kind, runs[k].threads, runs[k].times}];
      ++s.blocks;
      s.after += runs[k].after;
    }
    i = end;
  }
  for (const auto& [place, some] : places) {
    for (const auto& [key, same] : some) {
      const auto& [kind, threads, times] = key;
      const auto& [what, into, stream, event, child] = kind;
      host::DeviceCall c;
      c.what = what;
      c.into = into;
      c.kernel = what == What::kLaunch ? child : c.kernel;
      c.stream = into == Into::kStream ? number_of(kernel.device_streams, "stream", stream) : 0;
      c.event = what == What::kLaunch ? 0 : number_of(kernel.device_events, "event", event);
      const double share = same.after / static_cast<double>(same.blocks);
      c.after = host::from_us(share * host::to_us(block));
      c.blocks = same.blocks;
      c.threads = threads;
      c.times = times;
      kernel.calls.push_back(c);
    }
  }
}

}  // namespace heddle::cuda
