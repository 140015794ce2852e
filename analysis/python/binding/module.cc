#include "analysis/python/binding/binding.h"
#include "analysis/run/host.h"

PYBIND11_MODULE(_heddle, m) {
  using namespace heddle::python;
  m.doc() = "C++ half of the package heddle; use that.";
  m.def("revision", heddle::analysis::revision);
  bind_errors(m);
  bind_config(m);
  bind_trace(m);
  bind_results(m);
  bind_run(m);
  bind_stepper(m);
  bind_occupancy(m);
  bind_access(m);
  bind_host(m);
  bind_sweep(m);
  bind_metrics(m);
  bind_output(m);
  bind_ptx(m);
}
