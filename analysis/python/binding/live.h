// Threads of a host program that are Python's generators.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "analysis/python/binding/binding.h"
#include "frontends/workload/reader.h"
#include "sim/host/program/live_thread.h"

namespace heddle::python {

// One thread: a Driver of heddle/_workload_live.py. Whoever runs the program need not have the GIL.
class LivePython final : public host::LiveThread {
 public:
  // `thread`: of the program of `w`, which lasts as long as the run; `grown` is told when something has come
  // to it.
  LivePython(workload::Workload& w, uint32_t thread, std::function<void()> grown, py::object step,
             py::object refuse);
  Next next(const host::Returned& last) override;

 private:
  size_t call(const std::string& text, uint32_t line);

  workload::Workload& w_;
  const uint32_t thread_;
  const std::function<void()> grown_;
  const py::object step_, refuse_;
  // Calls that the thread has made before: by text, line and current device.
  std::unordered_map<std::string, size_t> made_;
};

}  // namespace heddle::python
