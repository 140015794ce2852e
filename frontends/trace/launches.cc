#include "frontends/trace/launches.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "frontends/accelsim/trace_reader.h"
#include "frontends/input/out_of_memory.h"
#include "frontends/trace/reader.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace fs = std::filesystem;

namespace {

accelsim::Launch launch_of(const fs::path& file) {
  Origin o = read_origin(file);
  accelsim::Launch l;
  l.trace = o.trace.empty() ? file.stem().string() : o.trace;
  l.number = std::max(o.number, 1u);
  l.path = file;
  l.memcpys = std::move(o.memcpys);
  return l;
}

std::vector<fs::path> native_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (const fs::directory_entry& e : fs::directory_iterator(directory, ec)) {
    if (is_native(e.path()) && e.is_regular_file(ec)) {
      files.push_back(e.path());
    }
  }
  return files;
}

}  // namespace

bool is_native(const fs::path& file) { return file.extension() == ".heddle"; }

namespace {

std::vector<accelsim::Launch> find(const fs::path& path, std::vector<std::string>* warnings) {
  std::error_code ec;
  if (is_native(path) && fs::exists(path, ec) && !fs::is_directory(path, ec)) {
    return {launch_of(path)};
  }
  if (fs::is_directory(path, ec) && !fs::exists(path / "kernelslist.g", ec)) {
    std::vector<accelsim::Launch> launches;
    for (const fs::path& file : native_files(path)) {
      try {
        launches.push_back(launch_of(file));
      } catch (const Error&) {
        // It keeps its place and fails when it is opened; the others of the folder do not.
        launches.push_back({file.stem().string(), 1, file, {}});
      }
    }
    if (!launches.empty()) {
      std::sort(launches.begin(), launches.end(), [](const auto& a, const auto& b) {
        return std::tie(a.trace, a.number, a.path) < std::tie(b.trace, b.number, b.path);
      });
      return launches;
    }
  }
  return accelsim::discover(path, warnings);
}

}  // namespace

std::vector<accelsim::Launch> discover(const fs::path& path, std::vector<std::string>* warnings) {
  return input::naming(path.string(), [&] { return find(path, warnings); });
}

OpenedTrace open_any(const fs::path& file, const std::optional<isa::Dim3>& cluster) {
  if (!is_native(file)) {
    accelsim::OpenOptions options;
    options.cluster = cluster;
    return {accelsim::open_trace(file, options), "", ""};
  }
  std::unique_ptr<Reader> reader = open(file);
  reader->check_operands();
  if (cluster) {
    reader->set_cluster(*cluster);
  }
  const Origin origin = reader->origin();
  std::string part;
  if (origin.part) {
    const uint64_t first = origin.part->first_block;
    part = "blocks " + std::to_string(first) + "-" + std::to_string(first + reader->blocks() - 1) +
           " of the " + std::to_string(origin.part->grid.count()) + " of its grid";
  }
  return {std::move(reader), origin.fingerprint, std::move(part)};
}

}  // namespace heddle::trace
