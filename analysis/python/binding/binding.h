// The C++ half of the Python package: thin wrappers, one file per subject. Everything here is private to
// analysis/python/heddle, which gives it names, defaults, documentation and data frames.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "analysis/run/opened_launch.h"
#include "analysis/store/record.h"
#include "sim/base/error.h"

namespace heddle::python {

namespace py = pybind11;

// Classes of heddle/errors.py, where heddle::Error alone would not say which.
struct ConfigError : Error {
  using Error::Error;
};
using analysis::TraceError;
struct ResultsError : Error {
  using Error::Error;
};

// f(), with its heddle::Error turned into an E.
template <typename E, typename F>
auto throwing(const F& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw E(e.what());
  }
}

// A run and its finished launches, from a database or a simulation.
struct Records {
  analysis::RunRecord run;
  std::vector<analysis::LaunchRecord> launches;
};

// Runs `work`, which ends soon once `cancel` is true, in a thread of its own without the GIL. Meanwhile the
// calling thread looks for Ctrl-C and calls `poll`, both with the GIL and every `period`; what they raise
// makes `cancel` true and is thrown when `work` has ended. Otherwise what `work` throws is thrown. `stop`:
// called, with the GIL, when `cancel` has become true.
void interruptible(const std::function<void(std::atomic<bool>& cancel)>& work,
                   const std::function<void()>& poll = nullptr,
                   std::chrono::milliseconds period = std::chrono::milliseconds(50),
                   const std::function<void()>& stop = nullptr);

void bind_errors(py::module_& m);
void bind_config(py::module_& m);
void bind_trace(py::module_& m);
void bind_results(py::module_& m);
void bind_run(py::module_& m);
void bind_stepper(py::module_& m);
void bind_occupancy(py::module_& m);
void bind_access(py::module_& m);
void bind_host(py::module_& m);
void bind_sweep(py::module_& m);
void bind_metrics(py::module_& m);
void bind_output(py::module_& m);
void bind_ptx(py::module_& m);

}  // namespace heddle::python
