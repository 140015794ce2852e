// The graphs of a host program as a picture for Graphviz, as cudaGraphDebugDotPrint gives one (GR29).
#pragma once

#include <string>
#include <vector>

#include "sim/host/program/program.h"

namespace heddle::analysis {

// `graphs`: those of the program, in its order (host::Result::graphs). Each is a cluster; dashed edges lead
// from child and conditional nodes to the graphs that they run.
std::string graphs_as_dot(const host::Program& program, const std::vector<host::GraphDesc>& graphs);

}  // namespace heddle::analysis
