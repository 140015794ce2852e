// What a configuration must satisfy before the machine can be built from it.
#pragma once

#include <string>
#include <vector>

#include "configs/loader/layers.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::config {

class Problems {
 public:
  explicit Problems(const Origins& origins) : origins_(origins) {}

  // "ORIGIN: PATH = VALUE: text"; the origin is left out when unknown, the value when not set.
  void add(const GpuConfig& config, const std::string& path, const std::string& text);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  const Origins& origins_;
  std::vector<std::string> lines_;
};

// Every field is set that must be, and has a value its annotations allow.
void check_fields(const GpuConfig& config, Problems& problems);

// Fields that depend on each other. Presumes that check_fields() found nothing.
void check_combinations(const GpuConfig& config, Problems& problems);

}  // namespace heddle::config
