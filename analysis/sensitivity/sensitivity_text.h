// What `heddle config check --matter` says and writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analysis/sensitivity/sensitivity.h"

namespace heddle::analysis {

// How many of `all`, which are sorted, matter to so many launches, and a table of the `most` first.
std::string sensitivity_text(std::span<const Sensitivity> all, size_t launches, size_t most);

// "gpu,value,is,change", and a line for each of them; `change` is a fraction, 0 where the number does not
// matter.
std::string sensitivity_csv_header();
std::string sensitivity_csv(std::span<const Sensitivity> all, const std::string& gpu);

}  // namespace heddle::analysis
