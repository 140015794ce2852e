// Runs a program with a library in front of its own, and takes the connections that the library makes.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::cli {

// A socket in a folder of its own, both removed in the end.
class CaptureSocket {
 public:
  CaptureSocket();
  ~CaptureSocket();
  CaptureSocket(const CaptureSocket&) = delete;
  CaptureSocket& operator=(const CaptureSocket&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::string path() const { return (folder_ / "socket").string(); }
  // The next connection; -1 when none comes within `milliseconds`.
  int accept(int milliseconds) const;

 private:
  std::filesystem::path folder_;
  int fd_ = -1;
};

class CaptureProgram {
 public:
  // Starts it in this environment with changes. Throws heddle::Error when there is no such program.
  CaptureProgram(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& environment);

  // Whether it has ended; status() then has what a shell would say: 128 and the signal's number where one has
  // ended it.
  bool ended();
  int status() const { return status_; }
  // Hands a signal on that this process alone has got.
  void forward(int signal) const;

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

// Fills some of the room from a connection, waiting for it; 0 at its end, and once `stop` is set.
size_t read_connection(int fd, const std::atomic<bool>& stop, char* room, size_t bytes);

}  // namespace heddle::cli
