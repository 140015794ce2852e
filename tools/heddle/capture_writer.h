// Captured launches to .heddle files, on a thread of its own while the program runs on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "frontends/capture/launch.h"
#include "frontends/trace/writer.h"

namespace heddle::cli {

struct CaptureFiles {
  std::filesystem::path out;  // folder
  std::string source;         // the program, for people
  trace::WriterOptions writer;
  uint64_t most_bytes = UINT64_MAX;  // of all files
};

struct CapturedFile {
  std::string name;     // kernel-1.heddle
  uint64_t launch = 0;  // of the process
  std::string kernel;
  isa::Dim3 grid;            // whole
  uint64_t first_block = 0;  // of the grid, where the file has a part of it
  uint64_t stream = 0, graph = 0, graph_launch = 0;
  trace::WriterTotals totals;
  std::vector<accelsim::Memcpy> memcpys;
};

class CaptureWriter {
 public:
  // Throws heddle::Error when the folder cannot be made, or has files that would be replaced.
  CaptureWriter(CaptureFiles files, std::function<void(const CapturedFile&)> written);
  ~CaptureWriter();
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;

  // From any thread; waits while one launch is being written and another one is waiting. False: no more are
  // taken, since the disk, or the limit, is full.
  bool add(capture::Launch launch);
  // Once all are there: writes what waits, and kernelslist.g. Throws what went wrong.
  const std::vector<CapturedFile>& finish();
  const std::vector<CapturedFile>& files() const { return done_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void work();
  void write(capture::Launch launch);

  const CaptureFiles files_;
  const std::function<void(const CapturedFile&)> written_;
  std::mutex mutex_;  // guards the queue and the flags
  std::condition_variable changed_;
  std::deque<capture::Launch> queue_;
  bool ending_ = false, full_ = false;
  std::string error_;
  std::vector<CapturedFile> done_;
  uint64_t bytes_ = 0;
  std::thread thread_;
};

}  // namespace heddle::cli
