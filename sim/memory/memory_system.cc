#include "sim/memory/memory_system.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::memory {

MemorySystem::MemorySystem(const config::GpuConfig& g)
    : noc_(g),
      tlb_(g, noc_.gpc_of_sm(), counters_),
      merge_group_(sm_groups(noc_.gpc_of_sm(), g.noc().merge_sms())),
      merger_(1 + merge_group_.back(), g.noc().merge_entries()),
      gcc_(static_cast<uint32_t>(g.topology().tpcs_per_gpc_size()), g.sm().fetch().gcc_bytes()),
      membars_(g),
      l2_(g, counters_),
      gpcs_(static_cast<uint32_t>(g.topology().tpcs_per_gpc_size())),
      launch_prefetch_bytes_(g.sm().fetch().launch_prefetch_bytes()),
      code_beyond_bytes_(g.launch().code_beyond_bytes()),
      constant_bytes_(g.launch().constant_bytes()),
      served_(gpcs_) {
  for (uint32_t gpc : noc_.gpc_of_sm()) {
    partition_of_sm_.push_back(gpc * l2_.partitions() / gpcs_);
  }
}

void MemorySystem::reset(const L2Policy& policy, bool warm) {
  counters_ = {};
  last_performed_.fill(0);
  noc_.reset();
  tlb_.reset();
  merger_.reset();
  gcc_.reset();
  membars_.reset();
  if (warm) {
    l2_.next_launch();
  } else {
    l2_.reset();
  }
  l2_.set_policy(policy);
}

void MemorySystem::launch(uint8_t grid, uint64_t first_code_byte, uint64_t code_bytes, Cycle at) {
  if (constant_bytes_ == 0) {
    return;  // not measured
  }
  constexpr uint64_t kUnitBytes = uint64_t{GpcCache::kUnitLines} * kLineBytes;
  uint64_t code = std::min<uint64_t>(
      launch_prefetch_bytes_, (code_bytes + kUnitBytes - 1) / kUnitBytes * kUnitBytes + code_beyond_bytes_);
  const uint64_t first_constant =
      kConstantLines + grid * ((constant_bytes_ + kUnitBytes - 1) / kUnitBytes * kUnitBytes / kLineBytes);
  for (uint64_t line = 0; line * kLineBytes < constant_bytes_; ++line) {
    l2_.install(first_constant + line);  // the launch has just written them
  }
  for (uint32_t gpc = 0; gpc < gpcs_; ++gpc) {
    for (uint64_t b = 0; b < code; b += kUnitBytes) {
      fetch(gpc, kCodeLines + (first_code_byte + b) / kLineBytes, to_ticks(at));
    }
    for (uint64_t b = 0; b < constant_bytes_; b += kUnitBytes) {
      fetch(gpc, first_constant + b / kLineBytes, to_ticks(at));
    }
  }
}

void MemorySystem::fetch(uint32_t gpc, uint64_t line, Ticks at) {
  uint64_t unit = line / GpcCache::kUnitLines;
  if (gcc_.look_up(gpc, unit)) {
    return;
  }
  Request r;
  r.kind = RequestKind::kFetch;
  r.sectors = (1u << kSectorsPerLine) - 1;
  for (r.line = unit * GpcCache::kUnitLines; r.line < (unit + 1) * GpcCache::kUnitLines; ++r.line) {
    l2_.serve(r, gpc * l2_.partitions() / gpcs_, at);
  }
}

void MemorySystem::process(const std::vector<Request>& requests,
                           std::vector<std::vector<Response>>& responses) {
  serve(requests);
  for (uint32_t gpc = 0; gpc < gpcs_; ++gpc) {
    respond(gpc, requests, responses);
  }
}

void MemorySystem::serve(const std::vector<Request>& requests) {
  for (std::vector<Served>& s : served_) {
    s.clear();
  }
  // The tags of a request's set come from the host's memory while those before it are served.
  constexpr size_t kAhead = 8;
  std::array<Home, kAhead> homes;
  auto look_ahead = [&](size_t i) {
    if (i < requests.size()) {
      homes[i % kAhead] = l2_.map().home(requests[i].line);
      l2_.prefetch(homes[i % kAhead], partition_of_sm_[requests[i].sm]);
    }
  };
  for (size_t i = 0; i < kAhead; ++i) {
    look_ahead(i);
  }
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request& r = requests[i];
    const Home home = homes[i % kAhead];
    look_ahead(i + kAhead);
    if (r.kind == RequestKind::kFetch) {
      fetch(noc_.gpc_of_sm()[r.sm], r.line, to_ticks(r.time));
      continue;
    }
    membars_.use(r.sm, home.partition * l2_.map().slices() + home.slice);
    uint32_t payload = r.kind == RequestKind::kRead ? 0 : std::popcount(r.sectors) * kSectorBytes;
    Ticks at = tlb_.translate(r.sm, r.line * kLineBytes, to_ticks(r.time));
    uint32_t group = merge_group_[r.sm];
    bool read = r.kind == RequestKind::kRead;
    Ticks done = read ? merger_.find(group, r.line, r.sectors, at) : 0;
    if (!done) {
      done = l2_.serve(r, home, partition_of_sm_[r.sm], noc_.request(r.sm, payload, at));
      if (read) {
        merger_.add(group, r.line, r.sectors, done);
      }
    }
    last_performed_[r.grid] = std::max(last_performed_[r.grid], to_cycles_up(done));
    served_[noc_.gpc_of_sm()[r.sm]].push_back({static_cast<uint32_t>(i), done});
  }
}

void MemorySystem::respond(uint32_t gpc, const std::vector<Request>& requests,
                           std::vector<std::vector<Response>>& responses) {
  for (const Served& s : served_[gpc]) {
    const Request& r = requests[s.request];
    bool returns_data = r.kind == RequestKind::kRead || r.kind == RequestKind::kAtomic;
    uint32_t payload = returns_data ? std::popcount(r.sectors) * kSectorBytes : 0;
    Ticks back =
        returns_data ? noc_.response(r.sm, payload, s.done) : s.done + to_ticks(noc_.response_latency());
    responses[r.sm].push_back({to_cycles_up(back), r.id, r.sectors});
  }
}

}  // namespace heddle::memory
