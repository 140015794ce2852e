#include "sim/host/graphs/graph_memory.h"

#include <algorithm>

#include "sim/host/graphs/graph_plan.h"

namespace heddle::host {
namespace {

// The addresses of one device's allocations in a graph, from 0 on.
class Addresses {
 public:
  // `before`: the nodes that the allocation comes after; `free_node`: the one that frees it.
  uint64_t place(uint64_t bytes, const std::vector<bool>& before, uint32_t free_node) {
    size_t best = pieces_.size();
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& p = pieces_[i];
      const bool free = p.free_node != kNone && before[p.free_node];
      if (free && p.bytes >= bytes && (best == pieces_.size() || p.bytes < pieces_[best].bytes)) {
        best = i;
      }
    }
    if (best == pieces_.size()) {
      pieces_.push_back({end_, bytes, free_node});
      end_ += bytes;
      return pieces_.back().address;
    }
    const Piece old = pieces_[best];
    pieces_[best] = {old.address, bytes, free_node};
    if (old.bytes > bytes) {
      pieces_.push_back({old.address + bytes, old.bytes - bytes, old.free_node});
    }
    return old.address;
  }
  uint64_t end() const { return end_; }

 private:
  struct Piece {
    uint64_t address, bytes;
    uint32_t free_node;
  };
  std::vector<Piece> pieces_;
  uint64_t end_ = 0;
};

std::vector<bool> ancestors(const std::vector<GraphNode>& nodes, uint32_t of) {
  std::vector<bool> out(nodes.size(), false);
  std::vector<uint32_t> open = nodes[of].after;
  while (!open.empty()) {
    const uint32_t n = open.back();
    open.pop_back();
    if (!out[n]) {
      out[n] = true;
      open.insert(open.end(), nodes[n].after.begin(), nodes[n].after.end());
    }
  }
  return out;
}

}  // namespace

GraphMemory::GraphMemory(Core& core, Allocations& memory)
    : core_(core),
      memory_(memory),
      chunk_bytes_(core.params.memory.pool_chunk),
      stats_(core.program.devices),
      owner_(core.program.buffers.size()),
      live_(core.program.buffers.size()) {}

// ---- definitions

std::shared_ptr<GraphLayout> GraphMemory::lay_out(const GraphDesc& g) {
  const auto is_memory = [](const GraphNode& n) {
    return n.kind == NodeKind::kMemAlloc || n.kind == NodeKind::kMemFree;
  };
  if (std::none_of(g.nodes.begin(), g.nodes.end(), is_memory)) {
    return nullptr;
  }
  const std::vector<uint32_t> sorted = sorted_nodes(g.nodes);
  if (sorted.size() != g.nodes.size()) {
    return nullptr;
  }
  auto l = std::make_shared<GraphLayout>();
  l->id = ++ids_;
  std::vector<uint32_t> free_node(core_.program.buffers.size(), kNone);
  for (uint32_t i : sorted) {
    if (g.nodes[i].kind == NodeKind::kMemFree) {
      free_node[g.nodes[i].object] = i;
    }
  }
  std::vector<Addresses> addresses(core_.program.devices);
  std::vector<bool> own(core_.program.buffers.size(), false);
  for (uint32_t i : sorted) {
    const GraphNode& n = g.nodes[i];
    if (n.kind != NodeKind::kMemAlloc) {
      continue;
    }
    own[n.object] = true;
    const BufferDesc& b = core_.program.buffers[n.object];
    const uint64_t bytes = round_up(std::max<uint64_t>(1, b.bytes), core_.params.memory.alignment);
    const uint64_t at = addresses[b.device].place(bytes, ancestors(g.nodes, i), free_node[n.object]);
    std::vector<uint32_t> access = n.access;
    access.push_back(b.device);
    std::sort(access.begin(), access.end());
    access.erase(std::unique(access.begin(), access.end()), access.end());
    l->allocations.push_back({n.object, b.device, at, bytes, free_node[n.object] != kNone, access});
  }
  for (uint32_t i : sorted) {
    if (g.nodes[i].kind == NodeKind::kMemFree && !own[g.nodes[i].object]) {
      l->frees.push_back(g.nodes[i].object);
    }
  }
  for (uint32_t d = 0; d < core_.program.devices; ++d) {
    const uint64_t bytes = round_up(addresses[d].end(), chunk_bytes_);
    if (bytes == 0) {
      continue;
    }
    const uint64_t base = memory_.device(d).reserve(bytes).value_or(0);
    l->parts.push_back({d, base, bytes, std::vector<uint32_t>(bytes / chunk_bytes_, kNone)});
    for (GraphLayout::Allocation& a : l->allocations) {
      a.address += a.device == d ? base : 0;
    }
  }
  for (const GraphLayout::Allocation& a : l->allocations) {
    owner_[a.buffer] = l;
    memory_.buffer(a.buffer).address = a.address;
  }
  std::erase_if(layouts_, [](const auto& w) { return w.expired(); });
  layouts_.push_back(l);
  return l;
}

std::optional<Refusal> GraphMemory::refuse(const std::vector<GraphNode>& nodes, const GraphLayout& l) const {
  const auto name = [&](uint32_t b) { return core_.program.buffers[b].name; };
  std::vector<bool> allocated(owner_.size(), false), freed(owner_.size(), false);
  for (const GraphNode& n : nodes) {
    if (n.kind != NodeKind::kMemAlloc && n.kind != NodeKind::kMemFree) {
      continue;
    }
    std::vector<bool>& seen = n.kind == NodeKind::kMemAlloc ? allocated : freed;
    if (seen[n.object]) {
      return Refusal{
          "cudaErrorInvalidValue",
          "two nodes " + std::string(n.kind == NodeKind::kMemAlloc ? "allocate " : "free ") + name(n.object)};
    }
    seen[n.object] = true;
  }
  for (uint32_t b : l.frees) {
    const GraphLayout::Allocation* a = allocation(b);
    if (a == nullptr || a->freed) {
      return Refusal{"cudaErrorInvalidValue",
                     name(b) + (a == nullptr ? " is allocated by no graph's node"
                                             : " is freed by the graph that allocates it")};
    }
  }
  if (l.execs > 0) {
    return Refusal{"cudaErrorNotSupported", "a graph with memory nodes has one instantiation at a time"};
  }
  return std::nullopt;
}

const GraphLayout::Allocation* GraphMemory::allocation(uint32_t buffer) const {
  const GraphLayout* l = (live_[buffer] ? live_[buffer] : owner_[buffer]).get();
  if (l == nullptr) {
    return nullptr;
  }
  return &*std::find_if(l->allocations.begin(), l->allocations.end(),
                        [&](const auto& a) { return a.buffer == buffer; });
}

// ---- launches

std::optional<Refusal> GraphMemory::refuse_launch(const GraphLayout& l, bool auto_free) const {
  for (const GraphLayout::Allocation& a : l.allocations) {
    if (!auto_free && live_[a.buffer]) {
      return Refusal{"cudaErrorInvalidValue",
                     core_.program.buffers[a.buffer].name + " of the last launch is not freed (GN06)"};
    }
  }
  for (uint32_t b : l.frees) {
    if (!live_[b]) {
      return Refusal{"cudaErrorInvalidValue", core_.program.buffers[b].name + " is not allocated now"};
    }
  }
  return std::nullopt;
}

bool GraphMemory::available(const Chunk& c, const GraphLayout& l, uint32_t stream) const {
  if (!c.there || c.unfreed > 0) {
    return c.there && c.holder == l.id;  // what it left is freed before it is launched again
  }
  // Launches of one graph come one after the other (GR16), those of one stream too.
  return c.user == l.id || c.stream == stream || !core_.commands.unfinished(c.last);
}

GraphMemory::Mapping GraphMemory::choose(const GraphLayout& l, uint32_t stream) const {
  Mapping m;
  std::vector<bool> taken;
  for (const GraphLayout::Part& p : l.parts) {
    std::vector<uint32_t> chunks = p.chunks;
    bool complete = true;
    for (uint32_t& c : chunks) {
      if (c == kNone || !available(chunks_[c], l, stream)) {
        c = kNone;
        complete = false;
      } else {
        m.moved += chunks_[c].stream == stream ? 0 : 1;
      }
    }
    if (!complete) {
      taken.assign(chunks_.size(), false);
      for (uint32_t c : chunks) {
        if (c != kNone) {
          taken[c] = true;
        }
      }
      uint32_t next = 0;
      for (uint32_t& c : chunks) {
        if (c != kNone) {
          continue;
        }
        while (next < chunks_.size() &&
               (taken[next] || chunks_[next].device != p.device || !available(chunks_[next], l, stream))) {
          ++next;
        }
        ++m.mapped;
        if (next < chunks_.size()) {
          c = next++;
        } else {
          ++m.taken;
        }
      }
    }
    m.chunks.push_back(std::move(chunks));
  }
  return m;
}

bool GraphMemory::take(uint32_t& chunk, uint32_t device) {
  if (!memory_.device(device).take(chunk_bytes_)) {
    return false;
  }
  chunk = 0;
  while (chunk < chunks_.size() && chunks_[chunk].there) {
    ++chunk;
  }
  if (chunk == chunks_.size()) {
    chunks_.emplace_back();
  }
  chunks_[chunk] = Chunk();
  chunks_[chunk].device = device;
  chunks_[chunk].there = true;
  stats_[device].reserved += chunk_bytes_;
  return true;
}

std::optional<Ps> GraphMemory::map(GraphLayout& l, uint32_t stream) {
  Mapping m = choose(l, stream);
  for (size_t i = 0; i < l.parts.size(); ++i) {
    for (uint32_t& c : m.chunks[i]) {
      if (c == kNone && !take(c, l.parts[i].device)) {
        return std::nullopt;  // what has been taken stays for other launches
      }
      if (!core_.commands.unfinished(chunks_[c].last)) {
        chunks_[c].stream = stream;
      }
    }
    l.parts[i].chunks = m.chunks[i];
  }
  if (m.mapped > 0) {
    count();
  }
  const Params::GraphMemory& p = core_.params.graph_memory;
  return p.launch + p.stream_chunk * m.moved + (m.mapped ? p.map + p.map_chunk * m.mapped : Ps()) +
         (m.taken ? p.take + p.take_chunk * m.taken : Ps());
}

void GraphMemory::hold(const GraphLayout& l, const GraphLayout::Allocation& a, int change) {
  const auto part =
      std::find_if(l.parts.begin(), l.parts.end(), [&](const auto& p) { return p.device == a.device; });
  for (uint64_t at = (a.address - part->base) / chunk_bytes_;
       at <= (a.address - part->base + a.bytes - 1) / chunk_bytes_; ++at) {
    chunks_[part->chunks[at]].unfreed += static_cast<uint32_t>(change);
    chunks_[part->chunks[at]].holder = l.id;
  }
}

void GraphMemory::launched(const std::shared_ptr<GraphLayout>& l, uint32_t stream, CommandRef end) {
  for (uint32_t b : l->frees) {
    free(b, stream, end);
  }
  for (const GraphLayout::Part& p : l->parts) {
    for (uint32_t c : p.chunks) {
      chunks_[c].stream = stream;
      chunks_[c].last = end;
      chunks_[c].user = l->id;
    }
  }
  for (const GraphLayout::Allocation& a : l->allocations) {
    memory_.buffer(a.buffer) = {a.freed ? Allocations::State::kFreed : Allocations::State::kAllocated, kNone,
                                a.address};
    if (!a.freed) {
      live_[a.buffer] = l;
      hold(*l, a, 1);
    }
  }
}

std::vector<uint32_t> GraphMemory::free_left(const GraphLayout& l, uint32_t stream) {
  std::vector<uint32_t> out;
  for (const GraphLayout::Allocation& a : l.allocations) {
    if (live_[a.buffer]) {
      free(a.buffer, stream, {});
      out.push_back(a.buffer);
    }
  }
  return out;
}

std::optional<Refusal> GraphMemory::free(uint32_t buffer, uint32_t stream, CommandRef done) {
  const std::shared_ptr<GraphLayout> l = live_[buffer];
  if (l == nullptr) {
    const std::string& name = core_.program.buffers[buffer].name;
    return Refusal{"cudaErrorInvalidValue",
                   name + (allocation(buffer)->freed ? " is freed by the graph that allocates it"
                                                     : " is not allocated now")};
  }
  const GraphLayout::Allocation& a = *allocation(buffer);
  hold(*l, a, -1);
  const GraphLayout::Part& part =
      *std::find_if(l->parts.begin(), l->parts.end(), [&](const auto& p) { return p.device == a.device; });
  for (uint32_t c : part.chunks) {
    if (chunks_[c].user == l->id && core_.commands.unfinished(done)) {
      chunks_[c].stream = stream;
      chunks_[c].last = done;
      chunks_[c].user = 0;
    }
  }
  live_[buffer] = nullptr;
  memory_.buffer(buffer).state = Allocations::State::kFreed;
  return std::nullopt;
}

// ---- footprint

void GraphMemory::count() {
  std::vector<bool> mapped(chunks_.size(), false);
  for (const auto& w : layouts_) {
    if (const auto l = w.lock()) {
      for (const GraphLayout::Part& p : l->parts) {
        for (uint32_t c : p.chunks) {
          if (c != kNone) {
            mapped[c] = true;
          }
        }
      }
    }
  }
  for (Stats& s : stats_) {
    s.used = 0;
  }
  for (size_t c = 0; c < chunks_.size(); ++c) {
    stats_[chunks_[c].device].used += mapped[c] && chunks_[c].there ? chunk_bytes_ : 0;
  }
  for (Stats& s : stats_) {
    s.reserved_high = std::max(s.reserved_high, s.reserved);
    s.used_high = std::max(s.used_high, s.used);
  }
}

Ps GraphMemory::trim(uint32_t device) {
  uint32_t given = 0;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    Chunk& c = chunks_[i];
    if (c.device != device || !c.there || c.unfreed > 0 || core_.commands.unfinished(c.last)) {
      continue;
    }
    memory_.device(device).give(chunk_bytes_);
    stats_[device].reserved -= chunk_bytes_;
    ++given;
    c = Chunk();
    for (const auto& w : layouts_) {  // unmapped
      if (const auto l = w.lock()) {
        for (GraphLayout::Part& p : l->parts) {
          std::replace(p.chunks.begin(), p.chunks.end(), static_cast<uint32_t>(i), kNone);
        }
      }
    }
  }
  count();
  const Params::GraphMemory& p = core_.params.graph_memory;
  return given ? p.trim + p.trim_chunk * given : Ps();
}

const GraphMemory::Stats& GraphMemory::stats(uint32_t device) {
  count();
  return stats_[device];
}

void GraphMemory::reset_high(uint32_t device) {
  count();
  stats_[device].reserved_high = stats_[device].reserved;
  stats_[device].used_high = stats_[device].used;
}

uint64_t GraphMemory::never_freed() const {
  return static_cast<uint64_t>(
      std::count_if(live_.begin(), live_.end(), [](const auto& l) { return l != nullptr; }));
}

}  // namespace heddle::host
