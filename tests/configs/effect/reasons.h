// Why no probe can show a field of the h200.
#pragma once

#include <map>
#include <string>

namespace heddle::config::effect {

inline const std::map<std::string, std::string>& reasons() {
  static const std::map<std::string, std::string> table = {
      {"sm.pipe[fp16].interval", "each class of this pipe has an interval of its own"},
      {"sm.pipe[tex].shared_by_sm", "texture instructions wait in the LG queue, which is a sub-core's"},
      {"sm.op[branch].latency", "a branch has no result that an instruction could wait for"},
      {"host.graph.add_node_ns", "nodes that a program adds: tests/runtime/calls_test.cc"},
      {"host.sharing.slice_us", "turns of several processes: tests/runtime/processes_test.py"},
      {"host.sharing.change_ns", "turns of several processes: tests/runtime/processes_test.py"},
      {"share.sms", "read by sim/sampling, which makes another machine of this one: tests/sim/sampling"},
  };
  return table;
}

}  // namespace heddle::config::effect
