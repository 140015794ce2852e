// Which launches are captured, as the environment says (README.md lists the variables; `heddle capture` sets
// them).
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include <array>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <tuple>

namespace heddle::capture {

struct Seen {
  uint64_t number = 0;         // among all launches of the process, from 1
  std::string name, readable;  // mangled, demangled
  std::array<uint32_t, 3> grid{}, block{};
  bool profiling = false;  // between cuProfilerStart and cuProfilerStop
  bool in_range = false;   // in the NVTX range
};

class Selection {
 public:
  using Environment = std::function<const char*(const char*)>;

  explicit Selection(const Environment& get) {
    const auto text = [&get](const char* name) {
      const char* v = get(name);
      return std::string(v ? v : "");
    };
    if (const std::string kernel = text("HEDDLE_CAPTURE_KERNEL"); !kernel.empty()) {
      by_name_ = true;
      kernel_ = std::regex(kernel);
    }
    if (const std::string numbers = text("HEDDLE_CAPTURE_LAUNCHES"); !numbers.empty()) {
      char* end = nullptr;
      first_ = last_ = strtoull(numbers.c_str(), &end, 10);
      if (*end == '-') {
        last_ = strtoull(end + 1, nullptr, 10);
      }
    }
    if (const std::string most = text("HEDDLE_CAPTURE_MOST"); !most.empty()) {
      most_ = strtoull(most.c_str(), nullptr, 10);
    }
    range_ = text("HEDDLE_CAPTURE_NVTX");
    profiler_ = text("HEDDLE_CAPTURE_PROFILER") == "1";
    first_of_each_ = text("HEDDLE_CAPTURE_FIRST_OF_EACH") == "1";
  }

  const std::string& range() const { return range_; }
  uint64_t selected() const { return selected_; }

  // False: no launch of this kernel would be taken.
  bool names(const Seen& s) const {
    return !by_name_ || std::regex_search(s.name, kernel_) || std::regex_search(s.readable, kernel_);
  }

  // Counts those that it takes.
  bool take(const Seen& s) {
    if (s.number < first_ || s.number > last_ || (profiler_ && !s.profiling) ||
        (!range_.empty() && !s.in_range)) {
      return false;
    }
    if (!names(s)) {
      return false;
    }
    if (selected_ >= most_ || (first_of_each_ && !known_.emplace(s.name, s.grid, s.block).second)) {
      return false;
    }
    ++selected_;
    return true;
  }

 private:
  bool by_name_ = false;
  std::regex kernel_;
  uint64_t first_ = 0, last_ = UINT64_MAX, most_ = UINT64_MAX, selected_ = 0;
  std::string range_;
  bool profiler_ = false, first_of_each_ = false;
  std::set<std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>>> known_;
};

}  // namespace heddle::capture
