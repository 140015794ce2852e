// Makes the time of unified memory's work pass: a kernel's faults and moves before its blocks start, its
// traffic over the link beside them, prefetches. Moves take the link and the copy engines as copies do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/links/kernel_traffic.h"
#include "sim/host/memory/unified.h"

namespace heddle::host {

class Migration {
 public:
  explicit Migration(Core& core)
      : core_(core),
        name_(core.recorder.name("page migration")),
        traffic_name_(core.recorder.name("kernel's traffic")) {}

  // Does the plan for a command, then calls Core::prepared(); `beside` goes on while the command's own work
  // does. False: nothing to do.
  bool start(uint32_t slot, Unified::Plan plan, std::vector<LinkTraffic> beside = {}) {
    Job job;
    job.plan = std::move(plan);
    job.beside = std::move(beside);
    job.begun = job.plan.steps.empty();
    // What ends after the command's own work.
    job.moves = static_cast<uint32_t>(job.beside.size()) + (job.plan.remote > 0 ? 1 : 0);
    core_.commands[slot].beside = job.moves > 0;
    core_.commands[slot].stores = std::any_of(job.beside.begin(), job.beside.end(), [](const LinkTraffic& t) {
      return t.path == Path::kMappedWrite || t.path == Path::kPeerWrite;
    });
    const bool work = !job.plan.steps.empty();
    if (!work && job.moves == 0) {
      return false;
    }
    jobs_[slot] = std::move(job);
    if (work) {
      next(slot);
    } else {
      core_.prepared(slot);
    }
    return true;
  }
  // The command's own work begins `after` from now: traffic beside it.
  void begun(uint32_t slot, Ps after) {
    const Job& job = jobs_.at(slot);
    if (job.plan.remote > 0) {
      move(slot, Path::kHostToDevice, job.plan.remote, after);
    }
    for (const LinkTraffic& t : job.beside) {
      Command& c = core_.commands[make(slot, core_.commands[slot].device, t.path, t.bytes, after)];
      c.peer = t.peer;
      c.rows = t.packets;
      c.partial = t.partial;
      c.limit = t.limit;
      c.under_way = t.under_way;
      c.queued = t.queued;
      c.domain = core_.commands[slot].domain;
      c.name = traffic_name_;
    }
  }
  // The command's own work has ended. False: its traffic has not.
  bool may_finish(uint32_t slot) {
    const auto it = jobs_.find(slot);
    if (it == jobs_.end()) {
      return true;
    }
    if (it->second.moves > 0) {
      it->second.ended = true;
      return false;
    }
    jobs_.erase(it);
    return true;
  }
  // A move has ended.
  void moved(uint32_t move) {
    const uint32_t slot = core_.commands[move].object;
    if (slot == kNone) {
      return;  // the host's own
    }
    Job& job = jobs_.at(slot);
    if (job.step < job.plan.steps.size()) {
      next(slot);
      return;
    }
    if (!job.begun) {
      job.begun = true;
      core_.prepared(slot);
      return;
    }
    if (--job.moves == 0 && job.ended) {
      core_.finish(slot);
    }
  }
  // For the host: one command that a thread can wait for. Nothing to do: an empty reference.
  CommandRef for_host(uint32_t device, const Unified::Plan& plan) {
    if (plan.steps.empty() && plan.remote == 0) {
      return {};
    }
    Unified::Step s = plan.steps.empty() ? Unified::Step() : plan.steps[0];
    return core_.commands.ref(make(kNone, device, Path::kDeviceToHost, s.to_host + plan.remote, s.delay));
  }

 private:
  struct Job {
    Unified::Plan plan;
    std::vector<LinkTraffic> beside;
    size_t step = 0;
    uint32_t moves = 0;
    bool ended = false;
    bool half = false;   // of a step with both directions, the first has been done
    bool begun = false;  // all steps are done
  };
  // Each step: its delay with what leaves the device, then what comes.
  void next(uint32_t slot) {
    Job& job = jobs_.at(slot);
    const Unified::Step& s = job.plan.steps[job.step];
    if (!job.half && s.to_host > 0) {
      job.half = s.to_device > 0;
      job.step += job.half ? 0 : 1;
      move(slot, Path::kDeviceToHost, s.to_host, s.delay);
      return;
    }
    const Ps delay = job.half ? Ps() : s.delay;
    job.half = false;
    ++job.step;
    move(slot, Path::kHostToDevice, s.to_device, delay);
  }
  void move(uint32_t slot, Path path, uint64_t bytes, Ps delay) {
    make(slot, core_.commands[slot].device, path, bytes, delay);
  }
  uint32_t make(uint32_t slot, uint32_t device, Path path, uint64_t bytes, Ps delay) {
    const uint32_t m = core_.commands.add();
    Command& c = core_.commands[m];
    c.work = Work::kMigrate;
    c.path = path;
    c.device = device;
    c.stream = device;
    c.object = slot;
    c.bytes = bytes;
    c.name = name_;
    core_.events.push(core_.now + delay, Happening::kDispatchCommand, m);
    return m;
  }

  Core& core_;
  uint32_t name_, traffic_name_;
  std::map<uint32_t, Job> jobs_;  // by command
};

}  // namespace heddle::host
