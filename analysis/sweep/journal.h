// What the workers of a sweep tried, also where they were killed: a text file per worker, a line per event,
// written at once. A worker holds a lock on its file as long as it lives.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sweep {

// How an attempt ended without a result.
enum class Failure {
  kError,       // of the trace or the machine: the same each time
  kDeadlock,    // the same each time
  kTimeout,     // of the sweep's timeout_s
  kMemory,      // out of memory
  kTerminated,  // by Slurm: time limit or scancel
  kKilled,      // the worker ended without a word
};
std::string_view name_of(Failure f);
bool worth_retrying(Failure f);

class Journal {
 public:
  // `worker`: where it runs, "12_3" of a Slurm array or empty. Throws heddle::Error when the file cannot be
  // made.
  Journal(const std::filesystem::path& file, const std::string& revision, const std::string& worker);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // From any thread. `key` is a RunKey's text.
  void start(const std::string& key);
  void done(const std::string& key);
  void stopped(const std::string& key);  // on the user's wish: does not count as an attempt
  void failed(const std::string& key, Failure kind, const std::string& message);
  // What is known from elsewhere about an attempt that ended without a word.
  void explain(const std::string& key, const std::string& message);

 private:
  void write(std::string_view event, const std::string& key, std::string_view kind = "",
             std::string text = "");

  std::filesystem::path file_;
  int fd_ = -1;
  std::mutex mutex_;
};

struct History {
  int attempts = 0;  // those that failed
  Failure last = Failure::kError;
  std::string message;  // of the last one
  int running = 0;      // in workers that live

  // Not to be tried again. Once given up, it stays so.
  bool given_up(unsigned retries) const {
    return attempts > 0 && (!worth_retrying(last) || attempts > static_cast<int>(retries));
  }
};

struct JournalIndex {
  std::map<std::string, History> tasks;  // by key; those with failures or running
  std::map<std::string, std::vector<std::string>>
      lost;             // worker -> what it did not end, or ended at a signal
  size_t alive = 0;     // workers
  size_t finished = 0;  // runs
};

// Reads all *.log of `folder`, which need not exist; those of another revision count for nothing.
JournalIndex read_journals(const std::filesystem::path& folder, const std::string& revision);

}  // namespace heddle::sweep
