#include "sim/host/memory/l2_control.h"

#include <algorithm>
#include <utility>

namespace heddle::host {
namespace {

bool uses(const Program& p) {
  const auto asks = [](const Call& c) {
    return c.op == Op::kStreamSetWindow || c.op == Op::kResetPersistingL2 || c.window != kNone ||
           (c.op == Op::kDeviceSetLimit && static_cast<Limit>(c.object) == Limit::kPersistingL2);
  };
  return std::any_of(p.threads.begin(), p.threads.end(),
                     [&](const ThreadDesc& t) {
                       return t.live || std::any_of(t.calls.begin(), t.calls.end(), asks);
                     }) ||
         std::any_of(p.graphs.begin(), p.graphs.end(), [](const GraphDesc& g) {
           return std::any_of(g.nodes.begin(), g.nodes.end(),
                              [](const GraphNode& n) { return n.window != kNone; });
         });
}

}  // namespace

std::optional<Refusal> refuse_window(const Core& core, uint32_t window) {
  const WindowDesc& w = core.program.windows[window];
  if (w.bytes > core.params.l2.window) {  // L208
    return Refusal{"cudaErrorInvalidValue", std::to_string(w.bytes) +
                                                " bytes are more than accessPolicyMaxWindowSize, " +
                                                std::to_string(core.params.l2.window)};
  }
  if (!(w.hit_ratio >= 0 && w.hit_ratio <= 1)) {
    return Refusal{"cudaErrorInvalidValue", "the hit ratio is from 0 to 1"};
  }
  if (w.miss == memory::AccessProperty::kPersisting) {
    return Refusal{"cudaErrorInvalidValue", "missProp is streaming or normal"};
  }
  return std::nullopt;
}

L2Control::L2Control(const Core& core, KernelTime time)
    : core_(core),
      time_(std::move(time)),
      keep_(core.params.l2.keep),
      used_(uses(core.program)),
      devices_(core.program.devices),
      windows_(core.program.streams.size(), kNone) {
  for (Device& d : devices_) {
    d.limit = std::min(core.params.l2.default_limit, core.params.l2.most);
  }
}

std::optional<Refusal> L2Control::set_limit(uint32_t device, uint64_t bytes) {
  const Params::L2& p = core_.params.l2;
  if (p.window == 0) {  // L203
    return Refusal{"cudaErrorUnsupportedLimit", "the set-aside of the L2 needs compute capability 8.0"};
  }
  if (bytes > p.most) {  // L205
    return Refusal{
        "cudaErrorInvalidValue",
        std::to_string(bytes) + " bytes are more than persistingL2CacheMaxSize, " + std::to_string(p.most)};
  }
  Device& d = devices_[device];
  d.limit = std::min((bytes + p.unit - 1) / p.unit * p.unit, p.most);
  d.limited = true;
  while (d.persisting > d.limit) {
    const uint64_t over = d.persisting - d.limit;
    Piece& oldest = d.pieces.front();
    const uint64_t had = oldest.bytes();
    if (had <= over) {
      d.pieces.erase(d.pieces.begin());
      d.persisting -= had;
    } else {
      oldest.begin += static_cast<uint64_t>(static_cast<double>(over) / (oldest.high - oldest.low));
      d.persisting = d.limit;
    }
  }
  return std::nullopt;
}

std::optional<Refusal> L2Control::set_window(uint32_t stream, uint32_t window) {
  if (window != kNone) {
    if (auto no = refuse_window(core_, window)) {
      return no;
    }
  }
  windows_[stream] = window;
  return std::nullopt;
}

void L2Control::reset(uint32_t device) {
  devices_[device].pieces.clear();
  devices_[device].persisting = 0;
}

// L219 (3): lines that nobody has touched for long are normal again.
void L2Control::age(Device& d) {
  const Ps lapse = core_.rules.l2_reset_after;
  if (lapse == Ps()) {
    return;
  }
  std::erase_if(d.pieces, [&](const Piece& p) {
    const bool old = p.touched + lapse <= core_.now;
    d.persisting -= old ? p.bytes() : 0;
    return old;
  });
}

Ps L2Control::time_of(uint32_t kernel, const Device& d, uint32_t window) {
  const uint32_t trace = core_.program.kernels[kernel].trace;
  if (!time_ || trace == kNone || (window == kNone && !d.limited)) {
    return {};
  }
  const auto [it, is_new] = times_.emplace(std::tuple(trace, d.limit, window), 0);
  if (is_new) {
    memory::L2Policy policy;
    policy.set_aside_bytes = d.limit;
    if (window != kNone) {
      const WindowDesc& w = core_.program.windows[window];
      policy.window = {core_.program.buffers[w.buffer].trace_address + w.offset, w.bytes, w.hit_ratio, w.hit,
                       w.miss};
    }
    it->second = time_(kernel, policy);
  }
  return it->second;
}

Ps L2Control::kernel(uint32_t kernel, uint32_t device, uint32_t window, const std::vector<Access>& accesses) {
  Device& d = devices_[device];
  age(d);
  for (const Access& a : accesses) {
    access(d, a, window);
  }
  return time_of(kernel, d, window);
}

void L2Control::access(Device& d, const Access& a, uint32_t window) {
  const uint64_t begin = a.offset, end = a.bytes ? a.offset + a.bytes : core_.program.buffers[a.buffer].bytes;
  d.accessed += end - begin;
  uint64_t from = end, to = end;  // what the window covers
  const WindowDesc* w = window == kNone ? nullptr : &core_.program.windows[window];
  if (w && w->buffer == a.buffer) {
    from = std::clamp(w->offset, begin, end);
    to = std::clamp(w->offset + w->bytes, begin, end);
  }
  // What there is of it: touched outside of the window, and replaced inside.
  std::vector<Piece> others, touched;
  uint64_t inside = 0;
  for (const Piece& p : d.pieces) {
    const uint64_t b = std::max(p.begin, begin), e = std::min(p.end, end);
    if (p.buffer != a.buffer || b >= e) {
      others.push_back(p);
      continue;
    }
    const auto part = [&](std::vector<Piece>& out, uint64_t x, uint64_t y, Ps at) {
      if (x < y) {
        out.push_back({p.buffer, x, y, p.low, p.high, at});
      }
    };
    Piece hit = p;
    hit.begin = b;
    hit.end = e;
    const uint64_t all = hit.bytes();
    hit.begin = std::max(b, from);
    hit.end = std::max(hit.begin, std::min(e, to));
    inside += hit.bytes();
    d.hit += all - hit.bytes();
    part(others, p.begin, b, p.touched);
    part(others, e, p.end, p.touched);
    part(touched, b, std::min(e, from), core_.now);
    part(touched, std::max(b, to), e, core_.now);
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Piece& x, const Piece& y) { return x.touched < y.touched; });
  others.insert(others.end(), touched.begin(), touched.end());
  d.pieces = std::move(others);
  d.persisting = 0;
  for (const Piece& p : d.pieces) {
    d.persisting += p.bytes();
  }
  // Lines of the window that do not become persisting are so no more (L217).
  if (from < to && w->hit == memory::AccessProperty::kPersisting && w->hit_ratio > 0) {
    if (!keep_ && static_cast<double>(to - from) * w->hit_ratio > static_cast<double>(d.limit)) {
      // Each line is gone before its turn comes again (L213).
      d.evicted += inside;
      inside = 0;
    }
    persist(d, a.buffer, from, to, w->hit_ratio);
  }
  d.hit += inside;
}

// Read in order of address, all lines of a range with a draw below `high` become persisting, as far as there
// is room: in place of the oldest (L213), or, where the set-aside keeps what it has, no more.
void L2Control::persist(Device& d, uint32_t buffer, uint64_t begin, uint64_t end, double high) {
  const auto length = [&](uint64_t bytes) {
    return static_cast<uint64_t>(static_cast<double>(bytes) / high);
  };
  Piece whole{buffer, begin, end, 0, high, core_.now};
  const uint64_t wanted = whole.bytes();
  if (keep_) {
    const uint64_t room = d.limit - std::min(d.limit, d.persisting);
    if (wanted > room) {
      d.refused += wanted - room;
      whole.end = begin + length(room);
    }
  } else {
    if (wanted > d.limit) {  // its own first lines give way to its last ones
      d.evicted += wanted - d.limit;
      whole.begin = end - length(d.limit);
    }
    const uint64_t room = d.limit - whole.bytes();
    while (d.persisting > room) {
      Piece& oldest = d.pieces.front();
      const uint64_t over = d.persisting - room, had = oldest.bytes();
      const uint64_t gone = std::min(over, had);
      d.evicted += gone;
      d.persisting -= gone;
      if (gone == had) {
        d.pieces.erase(d.pieces.begin());
      } else {
        oldest.begin += static_cast<uint64_t>(static_cast<double>(gone) / (oldest.high - oldest.low));
      }
    }
  }
  if (whole.begin < whole.end) {
    d.persisting += whole.bytes();
    d.pieces.push_back(whole);
  }
  d.peak = std::max(d.peak, d.persisting);
}

void L2Control::count(Result& result) const {
  if (!used_) {
    return;
  }
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Device& d = devices_[i];
    const std::string name = "device " + std::to_string(i) + " L2 ";
    result.counters.push_back({name + "bytes accessed", d.accessed});
    result.counters.push_back({name + "bytes accessed that persisted", d.hit});
    result.counters.push_back({name + "persisting bytes at the end", d.persisting});
    result.counters.push_back({name + "persisting bytes at most", d.peak});
    result.counters.push_back({name + "persisting bytes evicted", d.evicted});
    result.counters.push_back({name + "persisting bytes refused", d.refused});
  }
}

}  // namespace heddle::host
