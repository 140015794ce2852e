// Traces: the launches behind paths, and what can be said of one without a simulation.
#include <map>

#include "analysis/python/binding/binding.h"
#include "analysis/report/format.h"
#include "analysis/run/plan.h"
#include "frontends/trace/launches.h"

namespace heddle::python {
namespace {

using analysis::PlannedLaunch;

py::tuple dimensions(const isa::Dim3& d) { return py::make_tuple(d.x, d.y, d.z); }

py::list plan(const std::vector<std::string>& paths, bool strict, const py::function& warn) {
  const std::vector<std::filesystem::path> files(paths.begin(), paths.end());
  std::vector<std::string> warnings;
  py::list out;
  for (PlannedLaunch& l : throwing<TraceError>([&] {
         return analysis::plan_launches(files, strict, [&](std::string_view w) { warnings.emplace_back(w); });
       })) {
    out.append(py::cast(std::move(l)));
  }
  for (const std::string& w : warnings) {
    warn(w);
  }
  return out;
}

trace::OpenedTrace opened(const PlannedLaunch& l) {
  return throwing<TraceError>([&] { return trace::open_any(l.source.path, l.cluster); });
}

py::dict info(const PlannedLaunch& l) {
  trace::OpenedTrace t;
  interruptible([&](std::atomic<bool>&) { t = opened(l); });
  const isa::KernelImage& image = t.source->image();
  py::dict d;
  d["kernel"] = analysis::demangled(image.name);
  d["mangled"] = image.name;
  d["kernel_id"] = image.id;
  d["compute_capability"] = image.compute_capability;
  d["grid"] = dimensions(image.shape.grid);
  d["block"] = dimensions(image.shape.block);
  d["cluster"] = dimensions(image.shape.cluster);
  d["registers"] = image.shape.registers_per_thread;
  d["static_shared"] = image.shape.static_shared_bytes;
  d["dynamic_shared"] = image.shape.dynamic_shared_bytes;
  d["stream"] = image.shape.stream;
  d["control_bits"] = image.has_control;
  d["unknown_opcodes"] = image.unknown_opcodes;
  py::list code;
  for (size_t i = 0; i < image.code.size(); ++i) {
    code.append(py::make_tuple(image.code[i].pc, image.opcodes[image.code[i].opcode],
                               i < image.text.size() ? image.text[i] : ""));
  }
  d["code"] = code;
  return d;
}

// Executed warp instructions by opcode text.
std::map<std::string, uint64_t> opcodes(const PlannedLaunch& l) {
  std::map<std::string, uint64_t> out;
  interruptible([&](std::atomic<bool>& cancel) {
    const trace::OpenedTrace t = opened(l);
    const isa::KernelImage& image = t.source->image();
    std::vector<uint64_t> executed(image.code.size());
    isa::BlockTrace block;
    while (!cancel && throwing<TraceError>([&] { return t.source->next(block); })) {
      for (const isa::WarpTrace& w : block.warps) {
        for (const isa::Run& r : w.runs) {
          for (uint32_t i = 0; i < r.count; ++i) {
            ++executed[r.first + i];
          }
        }
      }
    }
    for (size_t i = 0; i < executed.size(); ++i) {
      if (executed[i]) {
        out[image.opcodes[image.code[i].opcode]] += executed[i];
      }
    }
  });
  return out;
}

// For processes that share the trace's folder.
py::tuple pickled(const PlannedLaunch& l) {
  py::list copies;
  for (const accelsim::Memcpy& c : l.source.memcpys) {
    copies.append(py::make_tuple(c.address, c.bytes, c.line));
  }
  return py::make_tuple(l.source.trace, l.source.number, l.source.path.string(), copies, l.trace, l.number,
                        l.cluster ? py::object(dimensions(*l.cluster)) : py::object(py::none()));
}

PlannedLaunch unpickled(const py::tuple& t) {
  PlannedLaunch l;
  l.source.trace = t[0].cast<std::string>();
  l.source.number = t[1].cast<uint32_t>();
  l.source.path = t[2].cast<std::string>();
  for (const py::handle copy : t[3]) {
    const auto c = copy.cast<std::tuple<uint64_t, uint64_t, uint32_t>>();
    l.source.memcpys.push_back({std::get<0>(c), std::get<1>(c), std::get<2>(c)});
  }
  l.trace = t[4].cast<std::string>();
  l.number = t[5].cast<uint32_t>();
  if (!t[6].is_none()) {
    const auto c = t[6].cast<std::array<uint32_t, 3>>();
    l.cluster = isa::Dim3{c[0], c[1], c[2]};
  }
  return l;
}

}  // namespace

void bind_trace(py::module_& m) {
  py::class_<PlannedLaunch>(m, "Launch")
      .def(py::pickle([](const PlannedLaunch& l) { return pickled(l); },
                      [](const py::tuple& t) { return unpickled(t); }))
      .def_readonly("trace", &PlannedLaunch::trace)
      .def_readonly("number", &PlannedLaunch::number)
      .def_property_readonly("path", [](const PlannedLaunch& l) { return l.source.path.string(); })
      .def("with_cluster", [](PlannedLaunch l, const std::array<uint32_t, 3>& c) {
        l.cluster = isa::Dim3{c[0], c[1], c[2]};
        return l;
      });
  m.def("plan", plan);
  m.def("info", info);
  m.def("opcodes", opcodes);
}

}  // namespace heddle::python
