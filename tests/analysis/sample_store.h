// Small result databases for tests, and questions to them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "analysis/store/result_store.h"

namespace heddle::analysis {

std::string bytes(const std::filesystem::path& file);

// The first number of the first row.
int64_t query(const std::filesystem::path& file, const std::string& sql);

// A run of two launches.
void write_two(const std::filesystem::path& file, const StoreOptions& options, double wall_seconds = 0.5);

}  // namespace heddle::analysis
