#include "frontends/accelsim/discover.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/base/error.h"

namespace heddle::accelsim {

namespace {

namespace fs = std::filesystem;

constexpr const char* kListName = "kernelslist.g";
constexpr const char* kLegal =
    "(legal: a directory with kernelslist.g, that file, one .traceg file, plain or .zst, .xz, .gz, a .heddle "
    "file, or a directory of such directories)";

bool is_trace_name(std::string_view name) {
  for (const std::string_view suffix : {".zst", ".xz", ".gz"}) {
    if (name.ends_with(suffix)) {
      name.remove_suffix(suffix.size());
      break;
    }
  }
  return name.ends_with(".traceg");
}

std::string directory_name(const fs::path& directory) {
  const fs::path p = fs::absolute(directory).lexically_normal();
  return p.has_filename() ? p.filename().string() : p.parent_path().filename().string();
}

// Appends the launches of one list; returns how many.
size_t add_list(const fs::path& file, std::vector<Launch>& launches, std::vector<std::string>* warnings) {
  KernelsList list = read_kernelslist(file);
  const std::string trace = directory_name(file.parent_path().empty() ? "." : file.parent_path());
  std::vector<Memcpy> copies;
  uint32_t number = 0;
  for (ListEntry& e : list.entries) {
    if (e.kind == ListEntry::Kind::kMemcpyHtoD) {
      copies.push_back(e.copy);
    } else {
      launches.push_back({trace, ++number, std::move(e.trace), std::exchange(copies, {})});
    }
  }
  if (warnings) {
    std::move(list.warnings.begin(), list.warnings.end(), std::back_inserter(*warnings));
    if (list.ignored_lines > list.warnings.size()) {
      warnings->push_back(file.string() + ": ignored " + std::to_string(list.ignored_lines) +
                          " lines in all");
    }
  }
  return number;
}

std::vector<Launch> from_list(const fs::path& file, std::vector<std::string>* warnings) {
  std::vector<Launch> launches;
  if (add_list(file, launches, warnings) == 0) {
    throw Error(file.string() + ": the list names no kernel (legal: lines such as kernel-1.traceg)");
  }
  return launches;
}

std::vector<Launch> from_subdirectories(const fs::path& directory, std::vector<std::string>* warnings) {
  std::vector<fs::path> lists;
  for (const fs::directory_entry& e : fs::directory_iterator(directory)) {
    std::error_code ec;
    if (e.is_directory(ec) && fs::is_regular_file(e.path() / kListName, ec)) {
      lists.push_back(e.path() / kListName);
    }
  }
  if (lists.empty()) {
    throw Error(directory.string() + ": neither " + kListName + " nor directories with one " + kLegal);
  }
  std::sort(lists.begin(), lists.end());
  std::vector<Launch> launches;
  for (const fs::path& l : lists) {
    if (add_list(l, launches, warnings) == 0 && warnings) {
      warnings->push_back(l.string() + ": the list names no kernel");
    }
  }
  if (launches.empty()) {
    throw Error(directory.string() + ": none of the " + std::to_string(lists.size()) +
                " lists names a kernel");
  }
  return launches;
}

}  // namespace

std::vector<Launch> discover(const fs::path& path, std::vector<std::string>* warnings) {
  try {
    if (!fs::exists(path)) {
      throw Error(path.string() + ": no such file or directory " + kLegal);
    }
    if (fs::is_directory(path)) {
      const fs::path list = path / kListName;
      return fs::exists(list) ? from_list(list, warnings) : from_subdirectories(path, warnings);
    }
    if (path.extension() == ".g") {
      return from_list(path, warnings);
    }
    if (is_trace_name(path.filename().string())) {
      const fs::path parent = path.parent_path();
      return {{directory_name(parent.empty() ? "." : parent), 1, path, {}}};
    }
  } catch (const fs::filesystem_error& e) {
    throw Error(path.string() + ": cannot read: " + e.code().message());
  }
  throw Error(path.string() + ": not a trace " + kLegal);
}

}  // namespace heddle::accelsim
