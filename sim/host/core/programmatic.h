// Programmatic dependent launch: a kernel may start before the one that it depends on has ended. In a stream
// by a launch attribute, in a graph by an edge; both come to the same dependence (PD07-PD09, C20).
#pragma once

#include "sim/host/program/program.h"

namespace heddle::host {

// Of cudaGraphEdgeData: the point of the first kernel that the edge leaves from, as cudaGraphKernelNodePort*.
enum class Port : uint8_t {
  kDefault = 0,          // its end, with its memory flushed
  kProgrammatic = 1,     // all blocks have triggered, or have ended
  kLaunchCompletion = 2  // all blocks have started
};

// The port of the edge that a launch's attribute stands for; kDefault without one. What capture makes of it.
inline Port port_of(const Call& launch) {
  return launch.programmatic_event != kNone
             ? (launch.trigger_at_block_start ? Port::kLaunchCompletion : Port::kProgrammatic)
         : launch.programmatic ? Port::kProgrammatic
                               : Port::kDefault;
}
// The data of an edge from that port: programmatic, except from the default one.
inline EdgeData edge_from(Port p) {
  return {static_cast<uint8_t>(p), 0, static_cast<uint8_t>(p == Port::kDefault ? 0 : 1)};
}

}  // namespace heddle::host
