// Host programs on the model of the machine around the SMs, as `heddle host` runs them.
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>

#include "analysis/python/binding/binding.h"
#include "analysis/python/binding/live.h"
#include "analysis/run/traced_kernels.h"
#include "analysis/run/workload_values.h"
#include "analysis/timeline/critical_path.h"
#include "analysis/timeline/host_timeline.h"
#include "configs/loader/draft.h"
#include "frontends/workload/expected.h"
#include "frontends/workload/measured.h"
#include "frontends/workload/reader.h"
#include "frontends/workload/run.h"
#include "frontends/workload/workload.pb.h"
#include "sim/host/calls/call_types.h"
#include "sim/host/platform/run.h"

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

// Numbers, and the names that they stand for: a long timeline as Python's objects is many times as large.
py::dict span_columns(const host::Result& r) {
  const auto numbers = [&](auto of) {
    using T = decltype(of(r.spans.front()));
    py::array_t<T> out(static_cast<py::ssize_t>(r.spans.size()));
    T* to = out.mutable_data();
    for (const host::TrackSpan& s : r.spans) {
      *to++ = of(s);
    }
    return out;
  };
  std::vector<std::string> tracks, kinds, streams = r.streams;
  for (const host::Track& t : r.tracks) {
    tracks.push_back(t.name);
  }
  for (uint32_t k = 0; k <= static_cast<uint32_t>(host::SpanKind::kOther); ++k) {
    kinds.emplace_back(analysis::kind_name(static_cast<host::SpanKind>(k)));
  }
  const auto none = static_cast<uint32_t>(streams.size());
  streams.emplace_back();
  using S = const host::TrackSpan&;
  py::dict out;
  out["track"] = py::make_tuple(numbers([](S s) { return s.track; }), tracks);
  out["name"] = py::make_tuple(numbers([](S s) { return s.name; }), r.names);
  out["start_us"] = numbers([](S s) { return host::to_us(s.start); });
  out["end_us"] = numbers([](S s) { return host::to_us(s.end); });
  out["kind"] = py::make_tuple(numbers([](S s) { return static_cast<uint32_t>(s.origin.kind); }), kinds);
  out["stream"] = py::make_tuple(numbers([&](S s) { return std::min(s.origin.stream, none); }), streams);
  out["bytes"] = numbers([](S s) { return s.origin.bytes; });
  out["call"] = numbers([](S s) { return s.origin.call; });
  out["correlation"] = numbers([](S s) { return s.origin.correlation; });
  return out;
}

template <class Names>
std::string name_at(const Names& names, uint32_t i) {
  return i < names.size() ? names[i] : std::string();
}

py::dict path_columns(const host::Result& r) {
  using S = const analysis::PathStep&;
  const std::vector<analysis::PathStep> path = analysis::critical_path(r);
  py::dict out;
  out["kind"] = column(path, [](S s) { return analysis::kind_name(s.kind); });
  out["name"] = column(path, [&](S s) { return name_at(r.names, s.name); });
  out["track"] =
      column(path, [&](S s) { return s.track < r.tracks.size() ? r.tracks[s.track].name : std::string(); });
  out["start_us"] = column(path, [](S s) { return host::to_us(s.start); });
  out["end_us"] = column(path, [](S s) { return host::to_us(s.end); });
  out["us"] = column(path, [](S s) { return host::to_us(s.end - s.start); });
  return out;
}

py::dict gap_columns(const host::Result& r) {
  using G = const analysis::KernelGap&;
  const std::vector<analysis::KernelGap> gaps = analysis::kernel_gaps(r);
  py::dict out;
  out["engine"] = column(gaps, [&](G g) { return r.tracks[g.track].name; });
  out["before"] = column(gaps, [&](G g) { return r.names[g.before]; });
  out["after"] = column(gaps, [&](G g) { return r.names[g.after]; });
  out["start_us"] = column(gaps, [](G g) { return host::to_us(g.start); });
  out["end_us"] = column(gaps, [](G g) { return host::to_us(g.end); });
  out["us"] = column(gaps, [](G g) { return host::to_us(g.end - g.start); });
  out["reason"] = column(gaps, [](G g) { return analysis::kind_name(analysis::main_part(g)); });
  out["reason_us"] =
      column(gaps, [](G g) { return host::to_us(g.parts[static_cast<size_t>(analysis::main_part(g))]); });
  return out;
}

py::dict frames(const host::Program& p, const host::Result& r) {
  py::dict tracks, errors, elapsed, answers, out;
  tracks["track"] = column(r.tracks, [](const host::Track& t) { return t.name; });
  tracks["spans"] = column(r.tracks, [](const host::Track& t) { return t.spans; });
  tracks["waiting_us"] = column(r.tracks, [](const host::Track& t) { return host::to_us(t.waiting); });
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
  elapsed["us"] = column(r.elapsed, [](const host::Elapsed& e) {
    return static_cast<double>(static_cast<int64_t>(e.time.count())) * 1e-6;  // below 0 where `to` came first
  });
  answers["thread"] = column(r.answers, thread);
  answers["call"] = column(r.answers, call);
  answers["answer"] = column(r.answers, [](const host::Answer& a) { return a.value; });
  out["tracks"] = tracks;
  out["errors"] = errors;
  out["elapsed"] = elapsed;
  out["answers"] = answers;
  py::dict counters, findings;
  for (const host::RunCounter& c : r.counters) {
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
  findings["times"] = column(r.findings, [](const host::Finding& f) { return f.times; });
  py::dict on_device;
  on_device["call"] = column(r.device_errors, [](const host::DeviceError& e) { return e.call; });
  on_device["error"] = column(r.device_errors, [](const host::DeviceError& e) { return e.error; });
  on_device["why"] = column(r.device_errors, [](const host::DeviceError& e) { return e.why; });
  out["device_errors"] = on_device;
  out["counters"] = counters;
  out["findings"] = findings;
  py::dict left_out;
  left_out["spans"] = r.spans_left_out;
  left_out["errors"] = r.errors_left_out;
  left_out["answers"] = r.answers_left_out;
  left_out["elapsed"] = r.elapsed_left_out;
  left_out["findings"] = r.findings_left_out;
  out["left_out"] = left_out;
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

struct Request {
  std::string text;  // empty: `name` is a file
  std::string name;
  bool check = false, together = false;
  int threads = 1;
  host::Limits limits;
  py::dict live;  // by thread: what steps it, what refuses its call
  std::optional<uint64_t> jitter;
};

// Puts the generators into the program.
std::vector<std::unique_ptr<LivePython>> bring_to_life(workload::Workload& w,
                                                       const std::function<void()>& grown,
                                                       const py::dict& live) {
  std::vector<std::unique_ptr<LivePython>> out;
  const py::gil_scoped_acquire with_gil;
  for (uint32_t i = 0; i < w.program.threads.size(); ++i) {
    host::ThreadDesc& t = w.program.threads[i];
    if (live.contains(t.name.c_str())) {
      const auto driver = live[t.name.c_str()].cast<py::tuple>();
      out.push_back(std::make_unique<LivePython>(w, i, grown, driver[0], driver[1]));
      t.live = out.back().get();
    }
  }
  return out;
}

// The calling thread has Python's state of a thread, without the GIL: to take that is cheap then.
class PythonThread {
 public:
  explicit PythonThread(std::atomic<unsigned long>& id) : id_(id) { id_ = PyThread_get_thread_ident(); }
  ~PythonThread() { id_ = 0; }
  PythonThread(const PythonThread&) = delete;
  PythonThread& operator=(const PythonThread&) = delete;

 private:
  py::gil_scoped_acquire with_gil_;
  std::atomic<unsigned long>& id_;
  py::gil_scoped_release without_gil_;
};

// numpy's type, whether the first index is the fastest, shape and bytes of each.
py::dict held_by(const std::map<std::string, npy::Array>& buffers) {
  py::dict out;
  for (const auto& [name, a] : buffers) {
    out[py::str(name)] = py::make_tuple(
        a.type, a.fortran, a.shape, py::bytes(reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size()));
  }
  return out;
}

// Frames, and what was warned of.
py::tuple run_host(const Request& q, const config::Draft& draft, const py::object& progress) {
  const config::GpuConfig gpu = throwing<ConfigError>([&] { return draft.finish(); });
  std::mutex mutex;  // guards what follows; any thread simulates
  std::vector<std::string> warnings;
  host::Ps now{};
  uint64_t ended = 0;
  workload::Workload w;
  host::Result r;
  std::map<std::string, npy::Array> buffers;
  std::string printed;
  std::atomic<unsigned long> worker{0};
  const auto work = [&](std::atomic<bool>& cancel) {
    const std::optional<PythonThread> python =
        q.live.empty() ? std::nullopt : std::make_optional<PythonThread>(worker);
    const analysis::TracedKernels::Options simulated{q.together, q.threads, &cancel,
                                                     [&](std::string_view text) {
                                                       const std::lock_guard lock(mutex);
                                                       warnings.emplace_back(text);
                                                     },
                                                     [&](host::Ps at, uint64_t kernels) {
                                                       const std::lock_guard lock(mutex);
                                                       now = at;
                                                       ended = kernels;
                                                     }};
    analysis::TracedKernels traced(gpu, simulated);
    const std::filesystem::path file = q.name;
    w = !q.text.empty() ? workload::parse_workload(q.text, q.name)
        : file.extension() == ".g"
            ? workload::from_kernelslist(file, [&](const auto& trace) { return traced.stream(trace); })
            : workload::read_workload(file);
    if (const std::string line = workload::measured_elsewhere(w, gpu); !line.empty()) {
      const std::lock_guard lock(mutex);
      warnings.push_back(line);
    }
    analysis::WorkloadValues values(traced, w);
    w.rules.jitter = q.jitter ? q.jitter : w.rules.jitter;
    host::PlatformOptions run{w.rules, true, q.check, {}, traced.model()};
    run.cancel = &cancel;
    run.limits = q.limits;
    if (!q.together) {  // which tells itself
      run.progress = [&](host::Ps at, uint64_t) {
        const std::lock_guard lock(mutex);
        now = at;
      };
    }
    run.kernel_time = [&](uint32_t kernel, const memory::L2Policy& policy) {
      return traced.under(w.program.kernels[kernel].trace, policy);
    };
    run.effects = values.effects();
    const auto threads = bring_to_life(
        w, [&] { values.follow(); }, q.live);
    r = workload::run(w, gpu, run);
    values.write_results(true);
    buffers = values.contents();
    printed = traced.output();
  };
  // A generator that never yields is stopped, too.
  const auto stop = [&] {
    if (worker != 0) {
      PyThreadState_SetAsyncExc(worker, PyExc_KeyboardInterrupt);
    }
  };
  const auto tell = [&] {
    if (!progress.is_none()) {
      const auto [at, kernels] = [&] {
        const std::lock_guard lock(mutex);
        return std::pair(now, ended);
      }();
      progress(host::to_us(at), kernels);
    }
  };
  interruptible(work, tell, std::chrono::milliseconds(100), stop);
  py::dict out = frames(w.program, r);
  out["buffers"] = held_by(buffers);
  py::print(printed, py::arg("end") = "");
  const auto kept = std::make_shared<host::Result>(std::move(r));
  out["timeline"] = py::cpp_function([kept] {
    std::ostringstream text;
    analysis::write_host_trace(text, *kept);
    return text.str();
  });
  out["spans"] = py::cpp_function([kept] { return span_columns(*kept); });
  out["critical_path"] = py::cpp_function([kept] { return path_columns(*kept); });
  out["kernel_gaps"] = py::cpp_function([kept] { return gap_columns(*kept); });
  out["steps_left_out"] = kept->steps_left_out;
  out["unexpected"] = q.check ? workload::unexpected(w, *kept) : std::vector<std::string>();
  return py::make_tuple(out, warnings);
}

// Calls whose arguments are names, numbers and words: field, CUDA's name, and for each argument its name, its
// kind, whether it may be left out, and the words that are legal.
py::list declared_calls() {
  static constexpr const char* kKinds[] = {"stream", "buffer",   "kernel", "event",      "flag",   "queue",
                                           "pool",   "physical", "graph",  "graph_exec", "change", "device",
                                           "number", "switch",   "choice", "number"};
  using host::Argument;
  py::list out;
  for (const host::CallType* type : host::call_types()) {
    const auto* const field = workload::proto::Call::descriptor()->FindFieldByName(type->field);
    const auto other = [](const Argument& a) {  // messages of their own
      return a.name != nullptr &&
             (a.kind > Argument::Kind::kMicroseconds || a.kind == Argument::Kind::kChange);
    };
    if (field == nullptr || type->read_apart ||
        std::any_of(type->arguments.begin(), type->arguments.end(), other)) {
      continue;
    }
    py::list arguments;
    for (const Argument& a : type->arguments) {
      if (a.name == nullptr) {
        continue;
      }
      using K = Argument::Kind;
      const bool reference = a.kind < K::kDevice && a.kind != K::kStream && a.kind != K::kPool;
      py::list words;
      if (a.kind == K::kChoice) {
        const auto* const legal = field->message_type()->FindFieldByName(a.name)->enum_type();
        for (int i = 0; i < legal->value_count(); ++i) {
          std::string word(legal->value(i)->name());
          std::transform(word.begin(), word.end(), word.begin(), [](char c) { return std::tolower(c); });
          words.append(word);
        }
      }
      // A call that is no message is its only argument.
      const std::string given = field->message_type() ? a.name : "";
      arguments.append(py::make_tuple(
          given, kKinds[static_cast<size_t>(a.kind)],
          a.given == Argument::Given::kMaybe || (!reference && a.given != Argument::Given::kMust), words));
    }
    out.append(py::make_tuple(type->field, type->name, arguments));
  }
  return out;
}

}  // namespace

void bind_host(py::module_& m) {
  m.def("run_host", [](const std::string& text, const std::string& name, const config::Draft& draft,
                       bool check, bool together, int threads, const py::object& progress,
                       const std::map<std::string, uint64_t>& limits, const py::dict& live,
                       std::optional<uint64_t> jitter) {
    host::Limits all;
    for (const auto& [limit, value] : limits) {
      host::set_limit(all, limit, value);
    }
    return run_host({text, name, check, together, threads, all, live, jitter}, draft, progress);
  });
  m.def("declared_calls", declared_calls);
  // Kernels' traces are not looked at.
  m.def("check_workload",
        [](const std::string& text, const std::string& name) { workload::parse_workload(text, name); });
}

}  // namespace heddle::python
