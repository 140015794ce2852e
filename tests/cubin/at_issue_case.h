// Launches of the kernels of at_issue.fatbin, whose arguments are buffers and then numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "frontends/cubin/execute/timed_source.h"
#include "frontends/cubin/fatbin/fatbin.h"
#include "tests/cubin/object_case.h"

namespace heddle::cubin::test {

struct AtIssue {
  const char* kernel;
  isa::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::vector<std::vector<uint8_t>> buffers;  // by their first bytes
  std::vector<uint64_t> numbers{};
};

class AtIssueLaunch {
 public:
  explicit AtIssueLaunch(const AtIssue& a)
      : program_(object_of("at_issue.fatbin", images_of("at_issue.fatbin", data("at_issue.fatbin")).at(0)),
                 memory_),
        kernel_(program_.kernel(a.kernel)),
        launch_(program_.launch(kernel_)) {
    launch_.grid = a.grid;
    launch_.block = a.block;
    size_t i = 0;
    for (const auto& b : a.buffers) {
      buffers_.push_back({memory_.allocate(b.size()), b.size()});
      memory_.write(buffers_.back().address, b);
      set_parameter(program_.object(), kernel_, i++, buffers_.back().address, launch_);
    }
    for (const uint64_t n : a.numbers) {
      set_parameter(program_.object(), kernel_, i++, n, launch_);
    }
  }
  const exec::Launch& launch() const { return launch_; }
  TimedSource source() const { return {program_, kernel_, launch_}; }
  // What the first `most` buffers hold now, one behind the other.
  std::vector<uint8_t> bytes(size_t most) const {
    std::vector<uint8_t> out;
    for (size_t i = 0; i < std::min(most, buffers_.size()); ++i) {
      const size_t at = out.size();
      out.resize(at + buffers_[i].bytes);
      memory_.read(buffers_[i].address, std::span(out).subspan(at));
    }
    return out;
  }

 private:
  struct Buffer {
    uint64_t address;
    size_t bytes;
  };
  exec::Memory memory_;
  Program program_;
  const Function& kernel_;
  exec::Launch launch_;
  std::vector<Buffer> buffers_;
};

inline std::vector<uint8_t> noise(size_t bytes) {
  std::vector<uint8_t> out(bytes);
  uint32_t x = 12345;
  for (uint8_t& b : out) {
    x = x * 1664525 + 1013904223;
    b = static_cast<uint8_t>(x >> 24);
  }
  return out;
}

inline std::vector<uint8_t> zeros(size_t bytes) { return std::vector<uint8_t>(bytes); }

}  // namespace heddle::cubin::test
