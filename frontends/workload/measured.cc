#include "frontends/workload/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace heddle::workload {
namespace {

// In lower case, split at what is no letter or digit.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  return out;
}

// CUDA's name has the model as a word ("NVIDIA H100 80GB HBM3"), or as a few ("NVIDIA GeForce RTX 4090").
bool names_model(const std::string& cuda_name, const std::string& model) {
  const std::vector<std::string> in = words(cuda_name);
  for (size_t i = 0; i < in.size(); ++i) {
    std::string joined;
    for (size_t k = i; k < in.size() && joined.size() < model.size(); ++k) {
      joined += in[k];
      if (joined == model) {
        return true;
      }
    }
  }
  return false;
}

bool same(const Measured& m, const spec::GpuConfig& gpu) {
  const std::string& name = gpu.name();  // "h100_pcie": variants of a model differ in their SMs, or in clocks
  return (m.sms == 0 || m.sms == gpu.topology().sms()) && names_model(m.gpu, name.substr(0, name.find('_')));
}

}  // namespace

std::string measured_elsewhere(const Workload& w, const spec::GpuConfig& gpu) {
  if (!w.measured || same(*w.measured, gpu)) {
    return "";
  }
  const bool known = !w.measured->gpu.empty();
  return fmt::format(
      "{}: kernels last as measured {}, whatever the GPU: only calls and copies take the times of {}", w.file,
      known ? "on " + w.measured->gpu : "(the profile does not say on which GPU)", gpu.name());
}

}  // namespace heddle::workload
