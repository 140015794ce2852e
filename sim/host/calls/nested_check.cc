// --check on launches of kernels that launch others: what the tree's grids access is compared with what else
// the program does as if it happened at the launch, and with each other by what CUDA guarantees (DP09).
#include <algorithm>

#include "sim/host/calls/threads.h"

namespace heddle::host {
namespace {

using What = DeviceCall::What;
using Into = DeviceCall::Into;

// A grid of the tree: the kernel, and which call of which grid launches it.
struct Node {
  uint32_t kernel;
  uint32_t parent;
  uint32_t call;
  uint32_t level;
};

constexpr size_t kMostNodes = 512;

// One for each call of the text, however often it is made.
std::vector<Node> expand(const Program& p, uint32_t kernel) {
  std::vector<Node> out = {{kernel, kNone, 0, 0}};
  for (uint32_t i = 0; i < out.size(); ++i) {
    const Node n = out[i];
    const KernelDesc& k = p.kernels[n.kernel];
    for (uint32_t c = 0; c < k.calls.size() && out.size() < kMostNodes; ++c) {
      if (k.calls[c].what == What::kLaunch && n.level < k.calls[c].levels) {
        out.push_back({k.calls[c].kernel, i, c, n.level + 1});
      }
    }
  }
  return out;
}

bool is_tail(const DeviceCall& c) { return c.what == What::kLaunch && c.into == Into::kTail; }
bool in_stream(const DeviceCall& c) {
  return c.what != What::kEventCreate && c.what != What::kSynchronize &&
         (c.into == Into::kNullStream || c.into == Into::kStream);
}
bool same_stream(const DeviceCall& a, const DeviceCall& b) {
  return in_stream(a) && in_stream(b) && a.into == b.into &&
         (a.into == Into::kNullStream || a.stream == b.stream);
}

// What call `from` launches has ended before what call `to`, of the same block, launches begins.
bool before(const KernelDesc& k, uint32_t from, uint32_t to) {
  if (is_tail(k.calls[to])) {
    return !is_tail(k.calls[from]) || from < to;
  }
  if (is_tail(k.calls[from]) || from >= to) {
    return false;
  }
  // Along streams, and from an event's last record to waits for it; with CDP1 also by synchronisation.
  std::vector<bool> after(k.calls.size(), false);
  after[from] = true;
  for (uint32_t i = from + 1; i <= to; ++i) {
    const DeviceCall& c = k.calls[i];
    for (uint32_t j = from; j < i; ++j) {
      const DeviceCall& b = k.calls[j];
      after[i] = after[i] || (after[j] && same_stream(b, c)) || b.what == What::kSynchronize;
    }
    if (c.what == What::kStreamWaitEvent) {
      for (uint32_t j = i; j-- > from;) {
        if (k.calls[j].what == What::kEventRecord && k.calls[j].event == c.event) {
          after[i] = after[i] || after[j];
          break;
        }
      }
    }
  }
  return after[to];
}

// The grid's own access is ordered with everything that its call `call` launches.
bool ordered_with(const KernelDesc& k, const Access& a, uint32_t call) {
  if (is_tail(k.calls[call])) {
    return true;
  }
  if (a.before_call <= call) {
    if (a.by_caller) {
      return true;
    }
    const bool every_block = k.calls[call].blocks >= (k.has_grid ? k.grid.count() : 1);
    for (uint32_t i = a.before_call; every_block && i <= call; ++i) {
      if (k.calls[i].barrier) {
        return true;
      }
    }
  }
  for (uint32_t i = call + 1; i < a.after_call; ++i) {
    if (k.calls[i].what == What::kSynchronize) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Threads::check_tree(uint32_t thread, const Call& c, Epoch epoch) {
  const Program& p = core_.program;
  const std::vector<Node> tree = expand(p, c.object);
  if (tree.size() == kMostNodes) {
    checker_.report("only the first 512 grids of the launch's tree are looked at", kNone, site(thread), {});
  }
  const Clock& clock = clocks_.of_stream(c.stream);
  const auto at = [&](uint32_t node) {
    Checker::Site s = site(thread);
    for (uint32_t i = node; i != 0; i = tree[i].parent) {
      s.node += (i == node ? "child " : " of ") + p.kernels[tree[i].kernel].name;
    }
    return s;
  };
  for (uint32_t i = 1; i < tree.size(); ++i) {  // the root's own are looked at already
    for (const Access& a : p.kernels[tree[i].kernel].accesses) {
      checker_.access(a, epoch, clock, at(i));
    }
    const DeviceCall& call = p.kernels[tree[tree[i].parent].kernel].calls[tree[i].call];
    if (call.passes_local || call.passes_shared) {  // DP10
      checker_.report(call.passes_local ? "pointer to local memory passed to a child"
                                        : "pointer to shared memory passed to a child",
                      kNone, at(tree[i].parent), at(i));
    }
  }
  if (!checked_trees_.insert(&c).second) {
    return;  // the rest is the same again
  }
  const auto compare = [&](uint32_t x, uint32_t y, const Access& a) {
    for (const Access& b : p.kernels[tree[y].kernel].accesses) {
      if (a.buffer == b.buffer && conflict(p, a, b)) {
        checker_.report("race", a.buffer, at(y), at(x));
      }
    }
  };
  for (uint32_t y = 1; y < tree.size(); ++y) {
    // The way up from y: at each grid above, by which call.
    std::vector<uint32_t> by(tree.size(), kNone);
    for (uint32_t i = y; i != 0; i = tree[i].parent) {
      by[tree[i].parent] = tree[i].call;
    }
    for (uint32_t x = 0; x < y; ++x) {
      const KernelDesc& k = p.kernels[tree[x].kernel];
      if (by[x] != kNone) {  // x is above y
        for (const Access& a : k.accesses) {
          if (!ordered_with(k, a, by[x])) {
            compare(x, y, a);
          }
        }
        continue;
      }
      uint32_t up = x;
      while (by[tree[up].parent] == kNone) {
        up = tree[up].parent;
      }
      const KernelDesc& above = p.kernels[tree[tree[up].parent].kernel];
      const uint32_t i = tree[up].call, j = by[tree[up].parent];
      if (!before(above, i, j) && !before(above, j, i)) {
        for (const Access& a : k.accesses) {
          compare(x, y, a);
        }
      }
    }
  }
}

}  // namespace heddle::host
