// The catalogue of counters, and tables of measured kernels.
#include "analysis/python/binding/binding.h"
#include "analysis/validate/comparison.h"
#include "analysis/validate/reference.h"

namespace heddle::python {
namespace {

py::list catalogue() {
  py::list out;
  for (const stats::MetricInfo& m : stats::catalogue()) {
    out.append(py::make_tuple(m.name, m.unit, m.meaning));
  }
  return out;
}

py::list stall_reasons() {
  py::list out;
  for (const stats::StallInfo& s : stats::kStallInfo) {
    out.append(py::make_tuple(s.name, s.meaning));
  }
  return out;
}

// Rows (name, launch, {metric: value}) of a table like traces/h200/suite.csv.
py::list reference(const std::string& file) {
  const analysis::Reference r = throwing<ResultsError>([&] { return analysis::read_reference(file); });
  py::list out;
  for (const analysis::ReferenceRow& row : r.rows) {
    py::dict values;
    for (const auto& [metric, value] : row.values) {
      values[py::str(metric)] = value;
    }
    out.append(py::make_tuple(row.name, row.launch, values));
  }
  return out;
}

}  // namespace

void bind_metrics(py::module_& m) {
  m.def("catalogue", catalogue);
  m.def("stall_reasons", stall_reasons);
  m.def("reference", reference);
}

}  // namespace heddle::python
