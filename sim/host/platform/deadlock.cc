#include "sim/host/platform/deadlock.h"

#include <algorithm>
#include <map>

namespace heddle::host {
namespace {

std::string describe(const Core& core, uint32_t slot) {
  const Command& c = core.commands[slot];
  const Program& p = core.program;
  std::string what;
  switch (c.work) {
    case Work::kKernel:
      what = "kernel " + p.kernels[c.object].name;
      break;
    case Work::kCopy:
      what = c.path == Path::kMemset ? "memset" : "copy of " + std::to_string(c.bytes) + " bytes";
      break;
    case Work::kRecord:
      what = "record of event " + p.events[c.object].name;
      break;
    case Work::kWait:
      what = "wait for an event";
      break;
    case Work::kHostFunc:
      what = "host function";
      break;
    case Work::kGraphStart:
      what = "launch of " + core.recorder.text(c.name);
      break;
    case Work::kGraphEnd:
      what = "end of " + core.recorder.text(c.name);
      break;
    case Work::kConditional:
    case Work::kBodyEnd:
    case Work::kMemAlloc:
    case Work::kMemFree:
      what = core.recorder.text(c.name);
      break;
    case Work::kMigrate:
      what = "page migration";
      break;
    case Work::kFaults:
      what = "page faults";
      break;
    case Work::kPrefetch:
      what = "prefetch";
      break;
    case Work::kBarrier:
      what = "implicit synchronisation";
      break;
  }
  return what + " (#" + std::to_string(c.number) + ") of stream " + p.streams[c.stream].name;
}

std::string describe(const Core& core, const Threads::Blocked& t) {
  std::string line = t.who + " (" + t.what + ")";
  if (t.for_flag != kNone) {
    line += " waits for flag " + core.program.flags[t.for_flag] + ", which nothing sets";
  }
  line += t.why;
  for (const CommandRef& r : t.for_commands) {
    if (core.commands.unfinished(r)) {
      line += " waits for " + describe(core, r.slot);
    }
  }
  return line;
}

}  // namespace

std::vector<std::string> explain_deadlock(const Core& core, const std::vector<Threads::Blocked>& threads,
                                          const Connections& connections, uint32_t stuck) {
  const Program& p = core.program;
  std::vector<std::string> out;
  out.reserve(threads.size());
  for (const Threads::Blocked& t : threads) {
    out.push_back(describe(core, t));
  }
  // Edges, the other way round.
  std::map<uint32_t, std::vector<std::pair<uint32_t, Edge::Kind>>> waits_for;
  std::map<uint32_t, uint32_t> primary;
  std::vector<uint32_t> live;
  for (uint32_t slot = 0; slot < core.commands.slots(); ++slot) {
    if (core.commands[slot].number == 0) {
      continue;
    }
    live.push_back(slot);
    for (const uint32_t first : {core.commands[slot].first_edge, core.commands[slot].first_trigger_edge}) {
      for (uint32_t e = first; e != kNone; e = core.commands.edge(e).next) {
        const Edge edge = core.commands.edge(e);
        if (edge.kind == Edge::Kind::kPrimary) {
          primary[edge.target] = slot;
        } else if (edge.kind != Edge::Kind::kThread) {
          waits_for[edge.target].push_back({slot, edge.kind});
        }
      }
    }
  }
  std::sort(live.begin(), live.end(),
            [&](uint32_t a, uint32_t b) { return core.commands[a].number > core.commands[b].number; });
  constexpr size_t kMost = 32;
  for (size_t i = 0; i < live.size(); ++i) {
    if (i == kMost) {
      out.push_back("... and " + std::to_string(live.size() - kMost) + " more commands");
      break;
    }
    const uint32_t slot = live[i];
    const Command& c = core.commands[slot];
    std::string line = describe(core, slot);
    if (!waits_for[slot].empty()) {
      const auto [other, kind] = waits_for[slot].front();
      line += kind == Edge::Kind::kCommand        ? " waits for "
              : kind == Edge::Kind::kProgrammatic ? " waits for the trigger of "
                                                  : " waits for the start of all blocks of ";
      line += describe(core, other);
    } else if (const uint32_t head = connections.behind(slot); head != kNone) {
      line += " is behind " + describe(core, head) + " in the hardware queue (AX13)";
    } else if (slot == stuck) {
      line += " calls CUDA and waits for itself (ST11)";
    } else if (c.work == Work::kKernel && p.kernels[c.object].until_flag != kNone &&
               !core.flag(p.kernels[c.object].until_flag)) {
      line += " runs until flag " + p.flags[p.kernels[c.object].until_flag] + " is set";
    } else if (c.work == Work::kKernel && c.grid != kNone && p.kernels[c.object].polls_plainly) {
      line += " polls flag " + p.flags[p.kernels[c.object].until_flag] +
              " by plain loads, which need not see that it is set (FP03)";
    } else if (c.work == Work::kKernel && c.grid != kNone && p.kernels[c.object].grid_barrier) {
      line +=
          " waits at a barrier of its grid for blocks that find no room; its launch is not cooperative "
          "(FP02)";
    } else if (primary.count(slot) && (c.ended || p.kernels[c.object].wait_after != kNever) &&
               c.grid != kNone) {
      line += c.ended ? " has ended, but not " : " waits at its grid dependency for ";
      line += describe(core, primary[slot]);
    } else if (c.work == Work::kHostFunc) {
      line += " waits for the function before it";
    } else {
      line += " waits for room on the device";
    }
    out.push_back(line);
  }
  return out;
}

}  // namespace heddle::host
