// What accesses of devices and of the host find, and what has to be done before they can go on (UM03, UM04).
//
// The driver's work as an H200 shows it (tools/microbench/managed.cu): it takes faults in batches, goes
// through them block by block, and brings along what its prefetcher thinks will be touched next.
#include <algorithm>
#include <bit>

#include "sim/base/align.h"
#include "sim/host/memory/unified.h"

namespace heddle::host {
namespace {

constexpr uint32_t kPieces = 16;  // of a page that the host maps one by one
constexpr double kTouchBytes = 4096;
// SMs that tell of a page, when a grid goes through memory in order and nobody knows more of it: at first all
// that share a page, one for each KiB; then fitted to traces/h200/hostshapes_seen.csv, managed_cold_us,
// managed_read_us of 16 and 64 MiB.
constexpr uint64_t kSweepEntries = 5, kEntryBytes = 1024;

}  // namespace

// The page stays where it is and the device reaches it over the link (UM04, UM08, UM10).
bool Unified::stays(const Region& r, uint32_t buffer, size_t page, uint32_t device, bool& faults) {
  Page& p = regions_[buffer].pages[page];
  if (params_.um.support == spec::UnifiedMemory::ATS || (r.accessed_by & bit(device)) != 0) {
    faults = false;
    return p.copies != 0;
  }
  if (r.prefers && r.preferred != device &&
      (p.copies & (r.preferred == kNone ? kHost : bit(r.preferred))) != 0) {
    faults = (p.mapped & bit(device)) == 0;
    if (faults) {
      p.mapped |= bit(device);
      told(buffer, page);
    }
    return true;
  }
  return false;
}

Unified::Found Unified::find(uint32_t device, const Fault& f) {
  Region& r = regions_[f.buffer];
  Page& p = r.pages[f.page];
  Device& d = devices_[device];
  if (params_.integrated) {  // whoever has it, it is here (HM12)
    const bool had = p.copies != 0;
    p.copies |= bit(device);
    return had ? Found::kHere : Found::kFaultsInPlace;
  }
  if ((p.copies & bit(device)) != 0) {
    touch(device, f.buffer, f.page);
    if (!f.writes || p.copies == bit(device)) {
      return Found::kHere;
    }
    drop_others(f.buffer, f.page, bit(device));  // the write takes the copies of others away
    return Found::kFaultsInPlace;
  }
  bool faults = true;
  if (stays(r, f.buffer, f.page, device, faults)) {
    d.remote += params_.um.page;
    return faults ? Found::kFaultsRemote : Found::kRemote;
  }
  if (p.copies == 0 && r.prefers && r.preferred == kNone) {  // first touch, but it belongs to the host
    p.copies = kHost;
    p.mapped |= bit(device);
    told(f.buffer, f.page);
    d.remote += params_.um.page;
    return Found::kFaultsRemote;
  }
  return Found::kFaults;
}

Reach Unified::reach(uint32_t device, uint32_t buffer, size_t page) const {
  const Region& r = regions_[buffer];
  const Page& p = r.pages[page];
  if ((p.copies & bit(device)) != 0 || params_.integrated || limited()) {
    return Reach::kHere;
  }
  const bool remote = params_.um.support == spec::UnifiedMemory::ATS || (r.accessed_by & bit(device)) != 0 ||
                      (p.mapped & bit(device)) != 0;
  return remote && p.copies != 0 ? Reach::kRemote : Reach::kAway;
}

Unified::Range Unified::block_of(const Region& r, size_t page) const {
  const size_t begin = page / pages_per_block_ * pages_per_block_;
  return {begin, std::min(r.pages.size(), begin + pages_per_block_)};
}

// Halves of halves of the block, from the page itself upwards.
Unified::Range Unified::along(Range block, size_t page, const std::vector<bool>& there) const {
  Range out = {page, page + 1};
  for (size_t width = 2; width <= pages_per_block_; width *= 2) {
    const size_t begin = block.begin + (page - block.begin) / width * width;
    const Range part = {begin, std::min(block.end, begin + width)};
    const auto from = there.begin() + static_cast<std::ptrdiff_t>(part.begin - block.begin);
    const auto count = static_cast<uint64_t>(
        std::count(from, from + static_cast<std::ptrdiff_t>(part.end - part.begin), true));
    if (count * 100 > (part.end - part.begin) * params_.um.density) {
      out = part;
    }
  }
  return out;
}

// A batch of faults, block by block: what has faulted, and what comes along.
void Unified::serve(uint32_t device, std::vector<Batched>& batch, bool first, Plan& plan, Ps now) {
  const Params::Unified& um = params_.um;
  Device& d = devices_[device];
  Step step;
  step.delay = um.gpu_fault + (first ? um.first_fault : Ps());
  std::sort(batch.begin(), batch.end(), [](const Fault& a, const Fault& b) {
    return std::pair(a.buffer, a.page) < std::pair(b.buffer, b.page);
  });
  const auto come = [&](const Fault& f) {
    const Region& r = regions_[f.buffer];
    Page& p = regions_[f.buffer].pages[f.page];
    if (bring(device, f.buffer, f.page, r.read_mostly && !f.writes && p.copies != 0, step, now)) {
      return true;
    }
    p.copies = p.copies ? p.copies : kHost;  // no room at all: from the host
    p.mapped |= bit(device);
    told(f.buffer, f.page);
    plan.remote += um.page;
    d.remote += um.page;
    return false;
  };
  for (size_t i = 0; i < batch.size();) {
    const Region& r = regions_[batch[i].buffer];
    const Range block = block_of(r, batch[i].page);
    std::vector<bool> there(block.end - block.begin);
    for (size_t p = block.begin; p < block.end; ++p) {
      there[p - block.begin] = (r.pages[p].copies & bit(device)) != 0;
    }
    const size_t begin = i;
    for (; i < batch.size() && batch[i].buffer == batch[begin].buffer && batch[i].page < block.end; ++i) {
      there[batch[i].page - block.begin] = true;
    }
    const uint64_t before = step.to_device;
    step.delay += um.fault_block + um.fault_page * static_cast<int64_t>(i - begin);
    bool room = true;
    for (size_t f = begin; f < i; ++f) {
      room = (!batch[f].moves || come(batch[f])) && room;
    }
    for (size_t f = begin; f < i && room; ++f) {
      const Range with = along(block, batch[f].page, there);
      for (size_t p = with.begin; p < with.end && batch[f].moves && room; ++p) {
        if (reach(device, batch[f].buffer, p) == Reach::kAway) {
          step.delay += um.fault_along;
          room = come({batch[f].buffer, p, false});
        }
      }
    }
    step.delay += step.to_device > before ? um.fault_move : Ps();
  }
  d.faults += batch.size();
  ++d.batches;
  plan.steps.push_back(step);
  batch.clear();
}

Unified::Plan Unified::kernel(uint32_t device, uint32_t stream, const std::vector<Access>& accesses, Ps now) {
  Plan plan;
  if (limited()) {
    if (!params_.integrated) {
      bulk(device, stream, plan, now);
    }
    return plan;
  }
  std::vector<Batched> batch;
  const auto close = [&] {
    if (!batch.empty()) {
      const uint64_t of_page =
          plan.steps.empty() ? std::min<uint64_t>(params_.sms, params_.um.page / kEntryBytes) : kSweepEntries;
      const uint64_t entries = std::min<uint64_t>(params_.um.fault_entries, batch.size() * of_page);
      serve(device, batch, plan.steps.empty(), plan, now);
      plan.steps.back().delay += params_.um.fault_entry * static_cast<int64_t>(entries);
    }
  };
  for (const Access& a : accesses) {
    if (!regions_[a.buffer].on) {
      continue;
    }
    const Range range = pages(a.buffer, a.offset, a.bytes);
    for (size_t i = range.begin; i < range.end; ++i) {
      const Fault f = {a.buffer, i, a.writes};
      const Found found = find(device, f);
      if (found == Found::kRemote || found == Found::kFaultsRemote) {
        plan.remote += params_.um.page;
      }
      if (found == Found::kHere || found == Found::kRemote) {
        continue;
      }
      batch.push_back({f, found == Found::kFaults});
      if (batch.size() == params_.um.fault_batch) {
        close();
      }
    }
  }
  close();
  return plan;
}

Unified::Plan Unified::fault(uint32_t device, const std::vector<Fault>& faults, bool first, Ps now) {
  Plan plan;
  std::vector<Batched> batch;
  for (const Fault& f : faults) {
    const Found found = find(device, f);
    if (found != Found::kHere && found != Found::kRemote) {
      batch.push_back({f, found == Found::kFaults});
    }
  }
  if (!batch.empty()) {
    serve(device, batch, first, plan, now);
  }
  plan.remote = 0;  // the kernel's own requests take the link
  return plan;
}

// ---- the host

// Its page tables get what it touches piece by piece.
void Unified::host_touches(const Access& a, size_t page, Plan& plan) {
  Page& p = regions_[a.buffer].pages[page];
  const uint64_t size = program_.buffers[a.buffer].bytes, first = page * params_.um.page;
  const uint64_t from = std::max<uint64_t>(a.offset, first);
  const uint64_t to = std::min({a.bytes ? a.offset + a.bytes : size, size, first + params_.um.page});
  const uint64_t piece = params_.um.page / kPieces;
  uint32_t bits = 0;
  for (uint64_t i = (from - first) / piece; i < divide_up(to - first, piece); ++i) {
    bits |= 1U << i;
  }
  const int added = std::popcount(bits & ~static_cast<uint32_t>(p.touched));
  p.touched = static_cast<uint16_t>(p.touched | bits);
  plan.populated += Ps::truncated(static_cast<double>(params_.um.cpu_touch.count()) * added *
                                  static_cast<double>(piece) / kTouchBytes);
}

// The page, and what comes along.
void Unified::host_faults(uint32_t device, const Access& a, size_t page, Step& step, Ps now) {
  Region& r = regions_[a.buffer];
  Device& d = devices_[device];
  const Range block = block_of(r, page);
  std::vector<bool> there(block.end - block.begin);
  for (size_t i = block.begin; i < block.end; ++i) {
    there[i - block.begin] = (r.pages[i].copies & kHost) != 0;
  }
  const bool first = std::none_of(there.begin(), there.end(), [](bool b) { return b; });
  step.delay += params_.um.cpu_fault + (first ? params_.um.cpu_block : Ps());
  ++d.cpu_faults;
  there[page - block.begin] = true;
  const Range with = along(block, page, there);
  for (size_t i = with.begin; i < with.end; ++i) {
    Page& p = r.pages[i];
    if (i != page && ((p.copies & kHost) != 0 || p.copies == 0)) {
      continue;
    }
    step.delay += i != page ? params_.um.cpu_along : Ps();
    step.to_host += params_.um.page;
    d.to_host += params_.um.page;
    if (!(r.read_mostly && !a.writes)) {
      moved(d, p, now);
      drop_others(a.buffer, i, 0);
    }
    p.copies |= kHost;
    told(a.buffer, i);
  }
}

Unified::Plan Unified::host(uint32_t device, const Access& a, Ps now) {
  Plan plan;
  Region& r = regions_[a.buffer];
  Step step;
  const Range range = pages(a.buffer, a.offset, a.bytes);
  for (size_t i = range.begin; i < range.end; ++i) {
    Page& p = r.pages[i];
    if (params_.integrated && p.copies != 0) {
      continue;  // HM12
    }
    if ((p.copies & kHost) != 0) {
      if (a.writes && p.copies != kHost) {
        drop_others(a.buffer, i, kHost);
      }
      host_touches(a, i, plan);
      continue;
    }
    if (p.copies == 0) {  // UM03
      p.copies = kHost;
      told(a.buffer, i);
      const size_t block = i / pages_per_block_;
      if (!r.populated[block]) {
        const Range all = block_of(r, i);
        plan.populated +=
            params_.um.populate_block + params_.um.populate * static_cast<int64_t>(all.end - all.begin);
        r.populated[block] = true;
      }
      host_touches(a, i, plan);
      continue;
    }
    // UM11: the host reaches the device's memory itself; managed memory asks for the advice.
    const bool managed = program_.buffers[a.buffer].memory == Memory::kManaged;
    if (params_.um.support == spec::UnifiedMemory::ATS ||
        (params_.um.direct_host_access && (!managed || (r.accessed_by & kHost) != 0))) {
      plan.remote += params_.um.page;
      continue;
    }
    host_faults(device, a, i, step, now);
    host_touches(a, i, plan);
  }
  if (step.delay > Ps() || step.to_host > 0) {
    plan.steps.push_back(step);
  }
  return plan;
}

}  // namespace heddle::host
