#include "analysis/run/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "analysis/run/host.h"
#include "frontends/trace/launches.h"
#include "frontends/trace/reader.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;

// Symbolic links are not followed: the name the user gave counts.
fs::path absolute_path(const fs::path& file) { return fs::absolute(file).lexically_normal(); }
fs::path directory_of(const fs::path& file) { return absolute_path(file).parent_path(); }

// The last `parts` components of a directory, with slashes.
std::string last_parts(const fs::path& directory, size_t parts) {
  std::vector<std::string> all;
  for (const fs::path& p : directory.relative_path()) {
    all.push_back(p.string());
  }
  std::string out;
  for (size_t i = all.size() - std::min(parts, all.size()); i < all.size(); ++i) {
    out += (out.empty() ? "" : "/") + all[i];
  }
  return out;
}

// Name and directory -> the shortest tail of its path that no other directory with the same name shares.
using Names = std::map<std::pair<std::string, fs::path>, std::string>;
Names unique_names(const std::vector<PlannedLaunch>& launches) {
  std::map<std::string, std::set<fs::path>> by_name;
  for (const PlannedLaunch& l : launches) {
    by_name[l.source.trace].insert(directory_of(l.source.path));
  }
  Names out;
  for (const auto& [name, directories] : by_name) {
    std::set<std::string> tails;
    for (size_t parts = 1; tails.size() < directories.size(); ++parts) {
      tails.clear();
      for (const fs::path& d : directories) {
        std::string& tail = out[{name, d}];
        tail = parts == 1 ? name : last_parts(d, parts);
        tails.insert(tail);
      }
    }
  }
  return out;
}

// About bytes of compressed text.
double weight(const fs::path& file) {
  constexpr double kInstructionsPerByte = 4;  // of the 57 kernels of an H200
  if (trace::is_native(file)) {
    try {
      return static_cast<double>(trace::read_warp_instructions(file)) / kInstructionsPerByte;
    } catch (const Error&) {
      return 0;  // reported when it is opened
    }
  }
  std::error_code unknown;
  const auto size = fs::file_size(file, unknown);
  return unknown ? 0 : static_cast<double>(size);
}

}  // namespace

std::vector<PlannedLaunch> plan_launches(const std::vector<fs::path>& paths, bool strict, const Warn& warn) {
  std::vector<PlannedLaunch> out;
  std::vector<std::string> warnings;
  std::set<fs::path> files;  // of the earlier paths; one list may name a file twice
  for (const fs::path& path : paths) {
    const size_t first = out.size();
    for (accelsim::Launch& l : trace::discover(path, &warnings)) {
      if (files.contains(absolute_path(l.path))) {
        throw Error(fmt::format("{}: given twice", l.path.string()));
      }
      out.push_back({std::move(l), "", 0});
    }
    for (size_t i = first; i < out.size(); ++i) {
      files.insert(absolute_path(out[i].source.path));
    }
  }
  if (strict && !warnings.empty()) {
    throw Error(warnings.front());
  }
  for (const std::string& w : warnings) {
    if (warn) {
      warn(w);
    }
  }
  const Names names = unique_names(out);
  std::set<std::pair<std::string, uint32_t>> taken;
  for (PlannedLaunch& l : out) {
    l.trace = names.at({l.source.trace, directory_of(l.source.path)});
    l.number = l.source.number;
    while (!taken.emplace(l.trace, l.number).second) {
      ++l.number;
    }
  }
  return out;
}

std::string trace_hash(const PlannedLaunch& launch) {
  const fs::path& file = launch.source.path;
  if (trace::is_native(file)) {
    try {
      if (std::string stored = trace::read_origin(file).fingerprint; !stored.empty()) {
        return stored;
      }
    } catch (const Error&) {
    }
  }
  return trace_fingerprint(file);
}

std::vector<double> weights(const std::vector<PlannedLaunch>& launches) {
  std::vector<double> out;
  out.reserve(launches.size());
  for (const PlannedLaunch& l : launches) {
    out.push_back(weight(l.source.path) + 1);
  }
  return out;
}

std::vector<size_t> largest_first(const std::vector<PlannedLaunch>& launches) {
  const std::vector<double> size = weights(launches);
  std::vector<size_t> order(launches.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size[a] > size[b]; });
  return order;
}

std::function<bool(size_t)> follows(const std::vector<PlannedLaunch>& launches, const RunSettings& settings) {
  if (settings.between == Between::kFlush) {
    return nullptr;
  }
  return [&launches](size_t i) { return launches[i].trace == launches[i - 1].trace; };
}

}  // namespace heddle::analysis
