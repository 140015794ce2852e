#include "sim/host/checker.h"

#include <algorithm>

namespace heddle::host {

Checker::Checker(const Program& p, bool on, Result& result) : program_(p), on_(on), result_(result) {
  if (on) {
    buffers_.resize(p.buffers.size());
    for (size_t b = 0; b < buffers_.size(); ++b) {
      buffers_[b].state = p.buffers[b].allocated_by_call ? Buffer::State::kNever : Buffer::State::kAllocated;
    }
  }
}

Finding::Place Checker::place(const Site& s) const {
  if (s.thread == kNone) {
    return {};
  }
  const Call& c = program_.threads[s.thread].calls[s.pc];
  std::string api = op_name(c.op);
  if (c.op == Op::kLaunch) {
    api += " " + program_.kernels[c.object].name;
  }
  if (!s.node.empty()) {
    api += ", node " + s.node;
  }
  return {s.thread, s.call, c.line, api};
}

// Once for each pair of calls of the text, however often a loop makes them.
void Checker::report(const char* kind, uint32_t buffer, const Site& call, const Site& other) {
  if (reported_.emplace(kind, buffer, call.thread, call.pc, call.node, other.thread, other.pc, other.node)
          .second) {
    result_.findings.push_back({kind, program_.buffers[buffer].name, place(call), place(other)});
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
  const uint64_t size = program_.buffers[a.buffer].bytes;
  const uint64_t end = a.bytes ? std::min(size, a.offset + a.bytes) : size;
  std::erase_if(b.records, [&](const Record& r) {
    if (r.end <= a.offset || end <= r.begin) {
      return false;
    }
    const bool ordered = Clocks::covers(clock, r.epoch);
    if (!ordered && (a.writes || r.writes) && !(a.atomic && r.atomic)) {
      report("race", a.buffer, site, r.site);
    }
    // Whatever conflicts with such a record later also conflicts with this access.
    const bool stronger = (a.writes && !a.atomic) || (a.writes == r.writes && a.atomic == r.atomic);
    return ordered && stronger && a.offset <= r.begin && r.end <= end;
  });
  b.records.push_back({a.offset, end, epoch, site, a.writes, a.atomic});
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
