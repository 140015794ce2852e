// The calls of a workload file for virtual memory management.
#pragma once

#include <functional>
#include <string>

#include "frontends/workload/builder.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// How names are found; each throws the reader's error for a name that is not there.
struct VmmNames {
  std::function<Buffer(const std::string&)> range;  // a VIRTUAL buffer
  std::function<Physical(const std::string&)> physical;
};

// A call of those; false: it is another.
bool read_vmm_call(Thread& t, const proto::Call& c, const VmmNames& names);

}  // namespace heddle::workload
