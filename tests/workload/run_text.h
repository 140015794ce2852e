// A workload's text, run on a plain GPU and with its accesses checked.
#pragma once

#include <string>

#include "frontends/workload/reader.h"
#include "sim/host/platform/run.h"
#include "tests/sim/host/support.h"

namespace heddle::workload {

inline host::Result run(const std::string& text) {
  const Workload w = parse_workload(text, "w");
  return host::run(w.program, hosttest::plain_gpu(), {w.rules, true});
}

}  // namespace heddle::workload
