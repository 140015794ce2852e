// Chrome's JSON trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing open, an event at a time.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/report/json.h"

namespace heddle::analysis {

// Times are in picoseconds. A row of the picture is a thread `tid` of a process `pid`; spans of a row must
// not overlap, or one holds the other.
class TraceEvents {
 public:
  explicit TraceEvents(std::ostream& out);
  void end();  // nothing may follow

  void process(int pid, std::string_view name, int order);
  void thread(int pid, uint32_t tid, std::string_view name);  // rows are in the order of `tid`
  // `args`: JSON, or nothing.
  void span(int pid, uint32_t tid, std::string_view name, uint64_t start, uint64_t end,
            std::string_view args = {});
  void counter(int pid, std::string_view name, uint64_t at,
               const std::vector<std::pair<std::string_view, double>>& values);

 private:
  JsonWriter& event(std::string_view phase, std::string_view name, int pid);
  JsonWriter& metadata(std::string_view what, int pid, uint32_t tid);

  JsonWriter json_;
};

}  // namespace heddle::analysis
