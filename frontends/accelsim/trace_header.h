// The `-key = value` lines at the top of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/accelsim/line_reader.h"
#include "sim/isa/kernel.h"

namespace heddle::accelsim {

struct TraceHeader {
  std::string kernel_name;
  uint64_t kernel_id = 0;
  uint32_t binary_version = 0;  // compute capability: 90 for sm_90
  uint32_t tracer_version = 0;  // 3, 4 or 5
  bool lineinfo = false;        // every instruction line begins with a source line number
  isa::LaunchShape shape;
  std::string nvbit_version;
  std::vector<uint8_t> parameters;  // as they lie in the constant bank (parameters.h); our tracer only
};

// Reads up to and including the '#traces format' line (a '#BEGIN_TB' that follows directly is left unread).
// Keys that are not known are ignored; dimensions are checked against the limits of CUDA.
TraceHeader read_trace_header(LineReader& in);

// Whether clusters of `c` blocks can tile the grid, and are of a size that some GPU could run.
bool is_cluster_of(const isa::Dim3& c, const isa::Dim3& grid);
inline constexpr const char* kLegalCluster = "at most 32 blocks, the grid a multiple of it in x, y and z";

}  // namespace heddle::accelsim
