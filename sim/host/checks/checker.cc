#include "sim/host/checks/checker.h"

#include <algorithm>
#include <utility>

#include "sim/host/program/call_type.h"

namespace heddle::host {

bool conflict(const Program& p, const Access& a, const Access& b) {
  const auto end = [&](const Access& x) { return x.bytes ? x.offset + x.bytes : p.buffers[x.buffer].bytes; };
  return (a.writes || b.writes) && !(a.atomic && b.atomic) && a.offset < end(b) && b.offset < end(a);
}

Checker::Checker(const Program& p, const AddressSpace& space, bool on, uint64_t most, Result& result)
    : program_(p), space_(space), on_(on), most_(most), result_(result) {
  if (on) {
    buffers_.resize(p.buffers.size() + p.physical.size());
    for (size_t b = 0; b < p.buffers.size(); ++b) {
      buffers_[b].state = p.buffers[b].allocated_by_call ? Buffer::State::kNever : Buffer::State::kAllocated;
    }
  }
}

Finding::Place Checker::place(const Site& s) const {
  if (s.thread == kNone) {
    return {};
  }
  const Call& c = program_.threads[s.thread].calls[s.pc];
  std::string api = c.type->name;
  if (c.op == Op::kLaunch) {
    api += " " + program_.kernels[c.object].name;
  }
  if (!s.node.empty()) {
    api += ", " + s.node;
  }
  return {s.thread, s.call, c.line, api};
}

// Once for each pair of calls of the text, however often a loop makes them.
void Checker::report(const char* kind, uint32_t buffer, const Site& call, const Site& other) {
  std::tuple key(std::string(kind), buffer, call.thread, call.pc, call.node, other.thread, other.pc,
                 other.node);
  if (const auto it = reported_.find(key); it != reported_.end()) {
    ++result_.findings[it->second].times;
  } else if (result_.findings.size() >= most_) {
    ++result_.findings_left_out;
  } else {
    reported_.emplace(std::move(key), result_.findings.size());
    result_.findings.push_back(
        {kind, buffer == kNone ? "" : program_.buffers[buffer].name, place(call), place(other)});
  }
}

void Checker::access(const Access& a, Epoch epoch, const Clock& clock, const Site& site) {
  Buffer& b = buffers_[a.buffer];
  if (b.state == Buffer::State::kFreed) {
    report("use after free", a.buffer, site, b.site);
    return;
  }
  if (b.state == Buffer::State::kNever || !Clocks::covers(clock, b.epoch)) {
    report("use before allocation", a.buffer, site, b.site);
    return;
  }
  if (!program_.buffers[a.buffer].reserved) {
    const uint64_t size = program_.buffers[a.buffer].bytes;
    record(b, a.offset, a.bytes ? std::min(size, a.offset + a.bytes) : size, a, epoch, clock, site);
    return;
  }
  const auto pieces = space_.pieces(a.buffer, kNone, a.offset, a.bytes);
  if (!pieces) {
    report("use of unmapped addresses", a.buffer, site, {});
    return;
  }
  for (const AddressSpace::Piece& p : *pieces) {
    record(buffers_[program_.buffers.size() + p.physical], p.offset, p.offset + p.bytes, a, epoch, clock,
           site);
  }
}

void Checker::record(Buffer& b, uint64_t begin, uint64_t end, const Access& a, Epoch epoch,
                     const Clock& clock, const Site& site) {
  std::erase_if(b.records, [&](const Record& r) {
    if (r.end <= begin || end <= r.begin) {
      return false;
    }
    const bool alias = r.buffer != a.buffer;
    // Addresses of their own are coherent with each other when the operation is done (VM04), or has a fence
    // (VM05): until then also atomics are not atomic with each other.
    const bool same =
        alias && r.epoch.actor == epoch.actor && r.epoch.tick == epoch.tick && r.site.node == site.node;
    const bool ordered = Clocks::covers(clock, r.epoch) && !(same && !r.fence && !a.alias_fence);
    if (!ordered && (a.writes || r.writes) && (alias || !(a.atomic && r.atomic))) {
      report(same    ? "aliases in one operation without fence.proxy.alias"
             : alias ? "race through an alias"
                     : "race",
             a.buffer, site, r.site);
    }
    if (!ordered && !alias && a.atomic && r.atomic && apart(r, a, epoch)) {
      report("atomics of host and device on mapped memory", a.buffer, site, r.site);
    }
    // Whatever conflicts with such a record later also conflicts with this access.
    const bool stronger = (a.writes && !a.atomic) || (a.writes == r.writes && a.atomic == r.atomic);
    return ordered && stronger && begin <= r.begin && r.end <= end && !same;
  });
  b.records.push_back({begin, end, epoch, site, a.writes, a.atomic, a.buffer, a.alias_fence});
}

bool Checker::apart(const Record& r, const Access& a, Epoch epoch) const {
  const Memory m = program_.buffers[a.buffer].memory;
  const auto side = [&](uint32_t actor) {
    return actor % 2 == 0 ? program_.streams[actor / 2].device : program_.devices;
  };
  return (m == Memory::kMapped || m == Memory::kPinned || m == Memory::kWriteCombined) &&
         side(r.epoch.actor) != side(epoch.actor);
}

// A range with holes is not looked at.
void Checker::unmapped(uint32_t buffer, uint64_t offset, uint64_t bytes, const Clock& clock,
                       const Site& site) {
  const auto pieces = space_.pieces(buffer, kNone, offset, bytes);
  if (!pieces) {
    return;
  }
  for (const AddressSpace::Piece& p : *pieces) {
    for (const Record& r : buffers_[program_.buffers.size() + p.physical].records) {
      if (r.buffer == buffer && r.begin < p.offset + p.bytes && p.offset < r.end &&
          !Clocks::covers(clock, r.epoch)) {
        report("unmap while in use", buffer, site, r.site);
      }
    }
  }
}

void Checker::allocated(uint32_t buffer, Epoch epoch, const Site& site) {
  buffers_[buffer] = {Buffer::State::kAllocated, epoch, site, {}};
}

void Checker::freed(uint32_t buffer, const Clock& clock, const Site& site) {
  Buffer& b = buffers_[buffer];
  bool in_use = false;
  for (const Record& r : b.records) {
    if (!Clocks::covers(clock, r.epoch)) {
      in_use = true;
      report("free while in use", buffer, site, r.site);
    }
  }
  if (!in_use && b.state == Buffer::State::kAllocated && !Clocks::covers(clock, b.epoch)) {
    report("free before allocation", buffer, site, b.site);
  }
  b.state = Buffer::State::kFreed;
  b.site = site;
  b.records.clear();
}

}  // namespace heddle::host
