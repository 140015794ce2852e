// What the end of a host program waited for, and why kernels did not follow each other at once, from the
// steps that its run has kept (sim/host/core/steps.h).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/host/core/result.h"

namespace heddle::analysis {

struct PathStep {
  host::StepKind kind;
  uint32_t name;   // index into Result::names, kNoName: none
  uint32_t track;  // index into Result::tracks, kNoTrack: nowhere
  host::Ps start, end;
};

// In order; each begins where the one before ends, from 0 to Result::end. Nothing if no steps are kept.
std::vector<PathStep> critical_path(const host::Result& r);

// Between the end of all kernels of a device so far and the start of the next one.
struct KernelGap {
  uint32_t track;
  uint32_t before, after;  // names of the kernels: that ended last, that starts
  host::Ps start, end;
  std::array<host::Ps, host::kStepKinds> parts;  // what it waited for; together the whole gap
};

std::vector<KernelGap> kernel_gaps(const host::Result& r);
// Of most of the gap.
host::StepKind main_part(const KernelGap& g);

// "host call", "launch latency", ...
const char* kind_name(host::StepKind kind);

// Tables: by kind, the longest by name and place, gaps between kernels by kind.
std::string critical_path_text(const host::Result& r);

}  // namespace heddle::analysis
