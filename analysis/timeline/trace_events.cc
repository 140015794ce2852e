#include "analysis/timeline/trace_events.h"

#include <fmt/format.h>

#include <string>

namespace heddle::analysis {
namespace {

constexpr uint64_t kPsPerUs = 1'000'000;

// The format counts microseconds; decimals keep the picoseconds.
std::string microseconds(uint64_t ps) { return fmt::format("{}.{:06}", ps / kPsPerUs, ps % kPsPerUs); }

}  // namespace

TraceEvents::TraceEvents(std::ostream& out) : json_(out) {
  json_.begin_object().field("displayTimeUnit", "ns").key("traceEvents").begin_array();
}

void TraceEvents::end() { json_.line().end_array().end_object(); }

JsonWriter& TraceEvents::event(std::string_view phase, std::string_view name, int pid) {
  return json_.line().begin_object().field("ph", phase).field("name", name).field("pid", pid);
}

JsonWriter& TraceEvents::metadata(std::string_view what, int pid, uint32_t tid) {
  return event("M", what, pid).field("tid", tid);
}

void TraceEvents::process(int pid, std::string_view name, int order) {
  metadata("process_name", pid, 0).key("args").begin_object().field("name", name).end_object().end_object();
  metadata("process_sort_index", pid, 0).key("args").begin_object();
  json_.field("sort_index", order).end_object().end_object();
}

void TraceEvents::thread(int pid, uint32_t tid, std::string_view name) {
  metadata("thread_name", pid, tid).key("args").begin_object().field("name", name).end_object().end_object();
  metadata("thread_sort_index", pid, tid).key("args").begin_object();
  json_.field("sort_index", static_cast<int>(tid)).end_object().end_object();
}

void TraceEvents::span(int pid, uint32_t tid, std::string_view name, uint64_t start, uint64_t end,
                       std::string_view args) {
  event("X", name, pid).field("tid", tid).key("ts").raw(microseconds(start));
  json_.key("dur").raw(microseconds(end - start));
  if (!args.empty()) {
    json_.key("args").raw(args);
  }
  json_.end_object();
}

void TraceEvents::counter(int pid, std::string_view name, uint64_t at,
                          const std::vector<std::pair<std::string_view, double>>& values) {
  event("C", name, pid).key("ts").raw(microseconds(at)).key("args").begin_object();
  for (const auto& [series, value] : values) {
    json_.field(series, value);
  }
  json_.end_object().end_object();
}

}  // namespace heddle::analysis
