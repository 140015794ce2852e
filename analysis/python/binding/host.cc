// Host programs on the model of the machine around the SMs, as `heddle host` runs them.
#include "analysis/python/binding/binding.h"
#include "configs/loader/draft.h"
#include "frontends/workload/reader.h"
#include "sim/host/machine.h"

namespace heddle::python {
namespace {

// A frame's column by column.
template <class Rows, class F>
py::list column(const Rows& rows, const F& f) {
  py::list out;
  for (const auto& r : rows) {
    out.append(f(r));
  }
  return out;
}

py::dict frames(const host::Program& p, const host::Result& r) {
  py::dict spans, tracks, errors, elapsed, answers, out;
  spans["track"] = column(r.spans, [&](const host::Span& s) { return r.tracks[s.track].name; });
  spans["name"] = column(r.spans, [&](const host::Span& s) { return r.names[s.name]; });
  spans["start_us"] = column(r.spans, [](const host::Span& s) { return host::to_us(s.start); });
  spans["end_us"] = column(r.spans, [](const host::Span& s) { return host::to_us(s.end); });
  tracks["track"] = column(r.tracks, [](const host::Track& t) { return t.name; });
  tracks["spans"] = column(r.tracks, [](const host::Track& t) { return t.spans; });
  tracks["busy_us"] = column(r.tracks, [](const host::Track& t) { return host::to_us(t.busy); });
  const auto thread = [&](const auto& x) { return p.threads[x.thread].name; };
  const auto call = [](const auto& x) { return x.call + 1; };
  errors["thread"] = column(r.errors, thread);
  errors["call"] = column(r.errors, call);
  errors["api"] = column(r.errors, [](const host::CallError& e) { return e.api; });
  errors["error"] = column(r.errors, [](const host::CallError& e) { return e.error; });
  errors["why"] = column(r.errors, [](const host::CallError& e) { return e.why; });
  elapsed["thread"] = column(r.elapsed, thread);
  elapsed["call"] = column(r.elapsed, call);
  elapsed["from"] = column(r.elapsed, [&](const host::Elapsed& e) { return p.events[e.from].name; });
  elapsed["to"] = column(r.elapsed, [&](const host::Elapsed& e) { return p.events[e.to].name; });
  elapsed["us"] = column(r.elapsed, [](const host::Elapsed& e) { return host::to_us(e.time); });
  answers["thread"] = column(r.answers, thread);
  answers["call"] = column(r.answers, call);
  answers["answer"] = column(r.answers, [](const host::Answer& a) { return a.value; });
  out["spans"] = spans;
  out["tracks"] = tracks;
  out["errors"] = errors;
  out["elapsed"] = elapsed;
  out["answers"] = answers;
  py::dict counters, findings;
  for (const host::Counter& c : r.counters) {
    counters[py::str(c.name)] = c.value;
  }
  findings["kind"] = column(r.findings, [](const host::Finding& f) { return f.kind; });
  findings["buffer"] = column(r.findings, [](const host::Finding& f) { return f.buffer; });
  findings["thread"] = column(r.findings, [&](const host::Finding& f) { return thread(f.call); });
  findings["call"] = column(r.findings, [&](const host::Finding& f) { return call(f.call); });
  findings["api"] = column(r.findings, [](const host::Finding& f) { return f.call.api; });
  // -1 and empty: the finding has no second call
  findings["other_thread"] = column(r.findings, [&](const host::Finding& f) {
    return f.other.api.empty() ? std::string() : thread(f.other);
  });
  findings["other_call"] = column(r.findings, [&](const host::Finding& f) {
    return f.other.api.empty() ? int64_t{-1} : static_cast<int64_t>(call(f.other));
  });
  findings["other_api"] = column(r.findings, [](const host::Finding& f) { return f.other.api; });
  out["counters"] = counters;
  out["findings"] = findings;
  out["hazards"] = r.hazards;
  out["dependency_wait_us"] = host::to_us(r.dependency_wait);
  out["overlap_us"] = column(r.copy_kernel_overlap, [](host::Ps t) { return host::to_us(t); });
  out["end_us"] = host::to_us(r.end);
  out["calls"] = r.operations;
  out["commands"] = r.commands;
  out["blocks"] = r.blocks;
  out["deadlock"] = r.deadlock;
  return out;
}

py::dict run_host(const std::string& text, const std::string& name, const config::Draft& draft, bool check) {
  const config::GpuConfig gpu = throwing<ConfigError>([&] { return draft.finish(); });
  const workload::Workload w = workload::parse_workload(text, name);
  host::Result r;
  {
    py::gil_scoped_release release;
    r = host::run(w.program, gpu, {w.rules, true, check});
  }
  return frames(w.program, r);
}

}  // namespace

void bind_host(py::module_& m) {
  m.def("run_host", &run_host);
  m.def("check_workload",
        [](const std::string& text, const std::string& name) { workload::parse_workload(text, name); });
}

}  // namespace heddle::python
