#pragma once

#include "sim/host/core/command.h"
#include "sim/host/core/params.h"

namespace heddle::host {

// What lies between the end of one command and the start of the next because of the engines that do them:
// work that goes to another engine, a kernel or graph behind a copy. In streams and in graphs
// (traces/h200/hostshapes_seen.csv, `shape_*`); commands and nodes of plans both say their work, path and
// bytes.
template <class From, class To>
Ps engine_gap(const Params& p, const From& from, const To& to) {
  const EngineKind a = engine_of(from.work, from.path, from.bytes, p.inline_copy_bytes),
                   b = engine_of(to.work, to.path, to.bytes, p.inline_copy_bytes);
  const Ps change = other_engine(a, b) ? p.other_engine : Ps();
  if (from.work != Work::kCopy || (to.work != Work::kKernel && to.work != Work::kGraphStart)) {
    return change;
  }
  return change + (from.path == Path::kDeviceToHost   ? p.d2h_to_kernel
                   : from.path == Path::kHostToDevice ? p.h2d_to_kernel
                                                      : Ps());
}

}  // namespace heddle::host
