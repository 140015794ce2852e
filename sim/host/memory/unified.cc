#include "sim/host/memory/unified.h"

#include <algorithm>
#include <bit>
#include <string>

#include "sim/base/align.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {

Unified::Unified(const Program& p, const Params& n, Allocations& memory)
    : program_(p),
      params_(n),
      memory_(memory),
      pages_per_block_(std::max(1u, n.um.block / n.um.page)),
      devices_(p.devices) {
  grow();
}

void Unified::grow() {
  constexpr uint64_t kMostPages = uint64_t{1} << 23;
  const Program& p = program_;
  const Params& n = params_;
  auto b = static_cast<uint32_t>(regions_.size());
  regions_.resize(p.buffers.size());
  for (; b < regions_.size(); ++b) {
    const bool system =
        p.buffers[b].memory == Memory::kPageable &&
        (n.um.support == spec::UnifiedMemory::HMM || n.um.support == spec::UnifiedMemory::ATS);
    regions_[b].on = p.buffers[b].memory == Memory::kManaged || system;
    active_ |= regions_[b].on;
    pages_ += regions_[b].on ? p.buffers[b].bytes / n.um.page + 1 : 0;
    if (pages_ > kMostPages) {
      throw ProgramError(p.buffers[b].line,
                         "buffer " + p.buffers[b].name + ": " + std::to_string(p.buffers[b].bytes) +
                             " bytes; legal: up to " + std::to_string(kMostPages * n.um.page) +
                             " of unified memory in all (2^23 pages of host.um.page_bytes)");
    }
    if (regions_[b].on && !p.buffers[b].allocated_by_call) {
      allocate(b);
    }
  }
}

bool Unified::allocate(uint32_t buffer) {
  Region& r = regions_[buffer];
  const size_t count = divide_up(program_.buffers[buffer].bytes, params_.um.page);
  r.pages.assign(count, Page());
  r.populated.assign(divide_up(count, pages_per_block_), false);
  r.stamps.assign(devices_.size(), std::vector<uint64_t>(divide_up(count, pages_per_block_), 0));
  if (at_once() && program_.buffers[buffer].memory == Memory::kManaged) {
    if (!memory_.device(0).take(count * params_.um.page)) {
      r.pages.clear();
      return false;
    }
    for (size_t i = 0; limited() && i < count; ++i) {
      r.pages[i].copies = bit(0);
    }
  }
  return true;
}

void Unified::release(uint32_t buffer) {
  Region& r = regions_[buffer];
  for (size_t i = 0; i < r.pages.size(); ++i) {
    drop_others(buffer, i, 0);
  }
  if (at_once()) {
    memory_.device(0).give(r.pages.size() * params_.um.page);
  }
  for (size_t d = 0; d < devices_.size(); ++d) {
    for (const uint64_t stamp : r.stamps[d]) {
      devices_[d].least_recent.erase(stamp);
    }
  }
  r.pages.clear();
}

Unified::Range Unified::pages(uint32_t buffer, uint64_t offset, uint64_t bytes) const {
  const uint64_t size = program_.buffers[buffer].bytes;
  const uint64_t end = bytes ? std::min(size, offset + bytes) : size;
  const Region& r = regions_[buffer];
  return {std::min<size_t>(r.pages.size(), offset / params_.um.page),
          std::min<size_t>(r.pages.size(), (end + params_.um.page - 1) / params_.um.page)};
}

std::vector<Unified::Moved> Unified::take_moves() {
  std::vector<Moved> out = std::exchange(moves_, {});
  std::erase_if(out, [this](const Moved& m) { return m.page >= regions_[m.buffer].pages.size(); });  // freed
  return out;
}

// ---- residency

void Unified::touch(uint32_t device, uint32_t buffer, size_t page) {
  const auto block = static_cast<uint32_t>(page / pages_per_block_);
  uint64_t& stamp = regions_[buffer].stamps[device][block];
  auto& order = devices_[device].least_recent;
  if (stamp != 0 && stamp == stamp_) {
    return;
  }
  order.erase(stamp);
  stamp = ++stamp_;
  order.emplace(stamp, std::pair(buffer, block));
}

void Unified::drop(uint32_t device, uint32_t buffer, size_t page) {
  regions_[buffer].pages[page].copies &= ~bit(device);
  told(buffer, page);
  if (!at_once()) {
    memory_.device(device).give(params_.um.page);
  }
}

void Unified::drop_others(uint32_t buffer, size_t page, uint64_t keep) {
  Page& p = regions_[buffer].pages[page];
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    if ((p.copies & bit(d) & ~keep) != 0) {
      drop(d, buffer, page);
    }
  }
  p.copies &= keep;
  p.touched = (keep & kHost) == 0 ? 0 : p.touched;
  told(buffer, page);
}

// The least recently used block but the one in use goes: to the host what is nowhere else (UM06).
bool Unified::evict(uint32_t device, std::pair<uint32_t, uint32_t> keep, Step& step, Ps now) {
  Device& d = devices_[device];
  const auto it = d.least_recent.begin();
  if (it == d.least_recent.end() || it->second == keep) {
    return false;
  }
  const auto [buffer, block] = it->second;
  Region& r = regions_[buffer];
  r.stamps[device][block] = 0;
  d.least_recent.erase(it);
  const size_t end = std::min<size_t>(r.pages.size(), size_t{block + 1} * pages_per_block_);
  for (size_t i = size_t{block} * pages_per_block_; i < end; ++i) {
    Page& p = r.pages[i];
    if ((p.copies & bit(device)) == 0) {
      continue;
    }
    if (p.copies == bit(device)) {
      step.to_host += params_.um.page;
      d.to_host += params_.um.page;
      p.copies |= kHost;
      moved(d, p, now);
    }
    drop(device, buffer, i);
    p.evicted = true;
    d.evicted += params_.um.page;
  }
  step.delay += params_.um.evict;
  return true;
}

bool Unified::make_room(uint32_t device, uint32_t buffer, size_t page, Step& step, Ps now) {
  if (at_once()) {
    return true;  // has had its place since its allocation
  }
  while (!memory_.device(device).take(params_.um.page)) {
    if (!evict(device, {buffer, static_cast<uint32_t>(page / pages_per_block_)}, step, now)) {
      return false;
    }
  }
  return true;
}

void Unified::moved(Device& d, Page& p, Ps now) {
  const bool soon = p.bounces > 0 && now - p.moved <= params_.um.thrash_lapse;
  p.mapped = 0;
  p.bounces = static_cast<uint16_t>(soon ? std::min(p.bounces + 1, 65535) : 1);
  p.moved = now;
  d.thrashing += p.bounces == params_.um.thrash_count ? 1 : 0;
}

// A page becomes resident on the device: moved from where it is, or copied, or new. False: no room.
bool Unified::bring(uint32_t device, uint32_t buffer, size_t page, bool duplicate, Step& step, Ps now) {
  touch(device, buffer, page);
  if (!make_room(device, buffer, page, step, now)) {
    return false;
  }
  Device& d = devices_[device];
  Page& p = regions_[buffer].pages[page];
  if (p.copies != 0) {
    step.to_device += params_.um.page;
    d.to_device += params_.um.page;
    d.refaults += p.evicted ? 1 : 0;
    if (duplicate) {
      ++d.duplicated;
    } else {
      moved(d, p, now);
    }
  }
  p.evicted = false;
  if (!duplicate) {
    drop_others(buffer, page, 0);
  }
  p.copies |= bit(device);
  told(buffer, page);
  return true;
}

// UM05: before a launch everything that the stream may touch goes to the device, without faults.
void Unified::bulk(uint32_t device, uint32_t stream, Plan& plan, Ps now) {
  Step step;
  for (uint32_t b = 0; b < regions_.size(); ++b) {
    Region& r = regions_[b];
    if (!r.on || r.attach == Attach::kHost || (r.attach == Attach::kStream && r.stream != stream)) {
      continue;
    }
    for (size_t i = 0; i < r.pages.size(); ++i) {
      if ((r.pages[i].copies & bit(device)) == 0) {
        bring(device, b, i, false, step, now);
      }
    }
  }
  if (step.to_device > 0) {
    plan.steps.push_back(step);
  }
}

// ---- prefetch, advice

Unified::Plan Unified::prefetch(uint32_t buffer, uint64_t offset, uint64_t bytes, uint32_t to, Ps now) {
  Plan plan;
  Region& r = regions_[buffer];
  r.prefetched = to;
  r.was_prefetched = true;
  Step step;
  const Range range = pages(buffer, offset, bytes);
  for (size_t i = range.begin; i < range.end; ++i) {
    Page& p = r.pages[i];
    if (params_.integrated && p.copies != 0) {
      continue;  // HM12
    }
    if (to != kNone) {
      if ((p.copies & bit(to)) == 0 && bring(to, buffer, i, r.read_mostly && p.copies != 0, step, now)) {
        devices_[to].prefetched += params_.um.page;
      }
    } else if ((p.copies & kHost) == 0) {
      if (p.copies != 0) {
        Device& d = devices_[static_cast<size_t>(std::countr_zero(p.copies))];
        step.to_host += params_.um.page;
        d.to_host += params_.um.page;
        d.prefetched += params_.um.page;
        if (!r.read_mostly) {
          moved(d, p, now);
          drop_others(buffer, i, 0);
        }
      }
      p.copies |= kHost;
      told(buffer, i);
    }
  }
  if (step.delay > Ps() || step.to_host > 0 || step.to_device > 0) {
    step.delay += params_.um.prefetch_start + params_.um.prefetch_home * (step.to_host / params_.um.page);
    plan.steps.push_back(step);
  }
  return plan;
}

Ps Unified::prefetch_work(uint32_t buffer, uint64_t offset, uint64_t bytes, uint32_t to) const {
  const Region& r = regions_[buffer];
  const Range range = pages(buffer, offset, bytes);
  const uint64_t there = params_.integrated ? ~uint64_t{0} : to == kNone ? kHost : bit(to);
  uint64_t moving = 0;
  for (size_t i = range.begin; i < range.end; ++i) {
    moving += (r.pages[i].copies & there) == 0 ? 1 : 0;
  }
  return params_.um.prefetch_page * moving;
}

void Unified::advise(uint32_t buffer, Advice what, uint32_t device) {
  Region& r = regions_[buffer];
  const uint64_t who = device == kNone ? kHost : bit(device);
  switch (what) {
    case Advice::kSetReadMostly:
      r.read_mostly = true;
      break;
    case Advice::kUnsetReadMostly:
      r.read_mostly = false;
      break;
    case Advice::kSetPreferredLocation:
      r.prefers = true;
      r.preferred = device;
      break;
    case Advice::kUnsetPreferredLocation:
      r.prefers = false;
      break;
    case Advice::kSetAccessedBy:
      r.accessed_by |= who;
      break;
    case Advice::kUnsetAccessedBy:
      r.accessed_by &= ~who;
      break;
  }
}

void Unified::attach(uint32_t buffer, Attach to, uint32_t stream) {
  regions_[buffer].attach = to;
  regions_[buffer].stream = stream;
}

uint32_t Unified::home(uint32_t buffer) const {
  const Region& r = regions_[buffer];
  const uint64_t copies = r.pages.empty() ? 0 : r.pages[0].copies & ~kHost;
  return copies ? static_cast<uint32_t>(std::countr_zero(copies)) : kNone;
}

std::string Unified::attributes(uint32_t buffer) const {
  const Region& r = regions_[buffer];
  const auto place = [](uint32_t d) {
    return d == kNone ? std::string("host") : "device " + std::to_string(d);
  };
  std::string by;
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    by += (r.accessed_by & bit(d)) != 0 ? (by.empty() ? "" : ", ") + place(d) : "";
  }
  by += (r.accessed_by & kHost) != 0 ? (by.empty() ? "host" : ", host") : "";
  return std::string("read mostly ") + (r.read_mostly ? "1" : "0") + "; preferred location " +
         (r.prefers ? place(r.preferred) : "none") + "; accessed by " + (by.empty() ? "none" : by) +
         "; last prefetch " + (r.was_prefetched ? place(r.prefetched) : "none");
}

void Unified::count(Result& result) const {
  for (size_t i = 0; active_ && i < devices_.size(); ++i) {
    const Device& d = devices_[i];
    const auto add = [&](const char* name, uint64_t value) {
      result.counters.push_back({"device " + std::to_string(i) + " um " + name, value});
    };
    add("gpu page faults", d.faults);
    add("gpu fault batches", d.batches);
    add("cpu page faults", d.cpu_faults);
    add("bytes to device", d.to_device);
    add("bytes to host", d.to_host);
    add("bytes prefetched", d.prefetched);
    add("bytes over the link", d.remote);
    add("pages duplicated", d.duplicated);
    add("bytes evicted", d.evicted);
    add("pages back after eviction", d.refaults);
    add("thrashing pages", d.thrashing);
  }
}

}  // namespace heddle::host
