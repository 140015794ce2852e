#include "analysis/run/host.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/fnv.h"

namespace heddle::analysis {

extern const char* const kRevision;  // revision.cc, made by the build

std::string revision() { return kRevision; }

std::string hostname() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

uint64_t max_rss_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompressed[] = {".zst", ".xz", ".gz"};

void add_file(Fnv& hash, std::string_view role, const fs::path& file) {
  std::error_code missing;
  const uint64_t size = fs::file_size(file, missing);
  if (missing) {
    return;
  }
  hash.add(fmt::format("{} {}\n", role, size));
  constexpr uint64_t kEnd = 1 << 20;
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(kEnd);
  in.read(buffer.data(), static_cast<std::streamsize>(kEnd));
  hash.add({buffer.data(), static_cast<size_t>(in.gcount())});
  if (size > kEnd) {
    in.seekg(static_cast<std::streamoff>(std::max(kEnd, size - kEnd)));
    in.read(buffer.data(), static_cast<std::streamsize>(kEnd));
    hash.add({buffer.data(), static_cast<size_t>(in.gcount())});
  }
}

// The trace and what its companions may be called, with their roles.
std::vector<std::pair<std::string_view, fs::path>> files_of(const fs::path& trace) {
  std::vector<std::pair<std::string_view, fs::path>> files = {{"trace", trace}};
  std::string stem = trace.string();
  for (std::string_view suffix : kCompressed) {
    if (stem.ends_with(suffix)) {
      stem.resize(stem.size() - suffix.size());
      break;
    }
  }
  if (stem.ends_with(".traceg")) {
    stem.resize(stem.size() - std::string_view(".traceg").size());
  }
  // An uncompressed companion is hashed as it always was: stored fingerprints stay good.
  for (const char* role : {"sass", "extra"}) {
    files.emplace_back(role, fmt::format("{}.{}", stem, role));
    for (std::string_view suffix : kCompressed) {
      files.emplace_back(role, fmt::format("{}.{}{}", stem, role, suffix));
    }
  }
  return files;
}

}  // namespace

std::string trace_fingerprint(const fs::path& trace) {
  Fnv hash;
  for (const auto& [role, file] : files_of(trace)) {
    add_file(hash, role, file);
  }
  return fmt::format("{:016x}", hash.value());
}

uint64_t trace_bytes(const fs::path& trace) {
  uint64_t bytes = 0;
  for (const auto& [role, file] : files_of(trace)) {
    std::error_code missing;
    const uint64_t size = fs::file_size(file, missing);
    bytes += missing ? 0 : size;
  }
  return bytes;
}

}  // namespace heddle::analysis
