// A configuration that is being changed value by value, as in the Python package.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "configs/loader/config.h"
#include "configs/loader/layers.h"

namespace heddle::config {

class Draft {
 public:
  // As load(), but values may contradict each other until finish().
  explicit Draft(std::string_view name_or_path, const LoadOptions& options = {});

  // "path=value". Throws Error for wrong names, types and values out of their field's range, and changes
  // nothing then.
  void set(const std::string& assignment);

  const GpuConfig& values() const { return layers_.config(); }
  const std::string& name() const { return name_; }
  const GpuFile& file() const { return file_; }
  const std::string& fidelity() const { return fidelity_; }
  // All assignments in the order in which they were made; of one path only the last.
  const std::vector<std::string>& overrides() const { return overrides_; }

  // As check(): everything wrong now.
  std::vector<std::string> problems() const;
  // The configuration that load() gives for this name and these overrides, and the Error that it throws.
  GpuConfig finish() const;
  // The same without any check: for looking at.
  GpuConfig unchecked() const { return layers_.finish(); }

 private:
  std::string name_, fidelity_;
  GpuFile file_;
  std::vector<std::string> overrides_;
  Layers layers_;
};

}  // namespace heddle::config
