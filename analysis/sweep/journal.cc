#include "analysis/sweep/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNames[] = {"error", "deadlock", "timeout", "memory", "terminated", "killed"};

Failure failure_of(std::string_view name) {
  const auto* it = std::find(std::begin(kNames), std::end(kNames), name);
  return it == std::end(kNames) ? Failure::kKilled : static_cast<Failure>(it - std::begin(kNames));
}

bool is_alive(const fs::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  const bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return locked;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out(1);
  for (char c : line) {
    if (c == '\t') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  out.resize(std::max<size_t>(out.size(), 4));
  return out;
}

void read(const fs::path& file, const std::string& revision, JournalIndex& index,
          std::map<std::string, std::string>& explained) {
  const bool alive = is_alive(file);  // before reading: what it writes later does not matter
  std::ifstream in(file);
  std::string line, worker;
  // A line without its end was cut off by a full disk or a crash of the host.
  if (!std::getline(in, line) || in.eof() || fields_of(line)[1] != revision) {
    return;
  }
  worker = fields_of(line)[2];
  index.alive += alive;
  std::map<std::string, int> open;
  while (std::getline(in, line) && !in.eof()) {
    const std::vector<std::string> f = fields_of(line);
    if (f[0] == "explain") {
      explained[f[1]] = f[3];
      continue;
    }
    open[f[1]] += f[0] == "start" ? 1 : -1;
    index.finished += f[0] == "done";
    if (f[0] == "failed") {
      History& h = index.tasks[f[1]];
      ++h.attempts;
      h.last = failure_of(f[2]);
      h.message = f[3];
      if (h.last == Failure::kTerminated) {
        index.lost[worker].push_back(f[1]);
      }
    }
  }
  for (const auto& [key, count] : open) {
    if (count <= 0) {
      continue;
    }
    History& h = index.tasks[key];
    if (alive) {
      ++h.running;
    } else {
      ++h.attempts;
      h.last = Failure::kKilled;
      h.message = "the process was killed";
      index.lost[worker].push_back(key);
    }
  }
}

}  // namespace

std::string_view name_of(Failure f) { return kNames[static_cast<size_t>(f)]; }

bool worth_retrying(Failure f) { return f != Failure::kError && f != Failure::kDeadlock; }

Journal::Journal(const fs::path& file, const std::string& revision, const std::string& worker) : file_(file) {
  fd_ = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    throw Error(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
  }
  flock(fd_, LOCK_EX | LOCK_NB);
  write("worker", revision, worker);
}

Journal::~Journal() { close(fd_); }

void Journal::start(const std::string& key) { write("start", key); }
void Journal::done(const std::string& key) { write("done", key); }
void Journal::stopped(const std::string& key) { write("stopped", key); }
void Journal::failed(const std::string& key, Failure kind, const std::string& message) {
  write("failed", key, name_of(kind), message);
}
void Journal::explain(const std::string& key, const std::string& message) {
  write("explain", key, "", message);
}

void Journal::write(std::string_view event, const std::string& key, std::string_view kind, std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const std::string line = fmt::format("{}\t{}\t{}\t{}\n", event, key, kind, text);
  std::lock_guard lock(mutex_);
  if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Error(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
  }
}

JournalIndex read_journals(const fs::path& folder, const std::string& revision) {
  std::error_code missing;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".log") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());  // names begin with the time
  JournalIndex index;
  std::map<std::string, std::string> explained;
  for (const fs::path& file : files) {
    read(file, revision, index, explained);
  }
  for (const auto& [key, message] : explained) {
    auto it = index.tasks.find(key);
    if (it != index.tasks.end() &&
        (it->second.last == Failure::kKilled || it->second.last == Failure::kTerminated)) {
      it->second.message = message;
    }
  }
  return index;
}

}  // namespace heddle::sweep
