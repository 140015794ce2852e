#include "tools/heddle/capture_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "sim/base/error.h"

extern char** environ;

namespace heddle::cli {

namespace fs = std::filesystem;

CaptureSocket::CaptureSocket() {
  constexpr size_t kLongest = 64;  // of the folder: a socket's path has 107 bytes
  const char* temporary = std::getenv("TMPDIR");
  const std::string in = temporary && *temporary && std::strlen(temporary) < kLongest ? temporary : "/tmp";
  std::string name = in + "/heddle-capture-XXXXXX";
  if (!mkdtemp(name.data())) {
    throw Error(fmt::format("{}: cannot make a folder for a socket: {}", in, std::strerror(errno)));
  }
  folder_ = name;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0 || bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd_, 128) != 0) {
    throw Error(fmt::format("{}: cannot make a socket: {}", path(), std::strerror(errno)));
  }
}

CaptureSocket::~CaptureSocket() {
  if (fd_ >= 0) {
    close(fd_);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

int CaptureSocket::accept(int milliseconds) const {
  pollfd p = {fd_, POLLIN, 0};
  return poll(&p, 1, milliseconds) > 0 ? accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC) : -1;
}

CaptureProgram::CaptureProgram(const std::vector<std::string>& command,
                               const std::map<std::string, std::string>& environment) {
  std::vector<std::string> variables;
  for (char** e = environ; *e; ++e) {
    const std::string_view v = *e;
    if (!environment.contains(std::string(v.substr(0, v.find('='))))) {
      variables.emplace_back(v);
    }
  }
  for (const auto& [name, value] : environment) {
    variables.push_back(fmt::format("{}={}", name, value));
  }
  std::vector<char*> arguments, pointers;
  for (const std::string& a : command) {
    arguments.push_back(const_cast<char*>(a.c_str()));
  }
  for (std::string& v : variables) {
    pointers.push_back(v.data());
  }
  arguments.push_back(nullptr);
  pointers.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int s : {SIGINT, SIGTERM, SIGXFSZ, SIGPIPE}) {
    sigaddset(&defaults, s);
  }
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed =
      posix_spawnp(&pid_, arguments.front(), nullptr, &attributes, arguments.data(), pointers.data());
  posix_spawnattr_destroy(&attributes);
  if (failed) {
    throw Error(fmt::format("{}: cannot be run: {}", command.front(), std::strerror(failed)));
  }
}

bool CaptureProgram::ended() {
  int raw = 0;
  if (!ended_ && waitpid(pid_, &raw, WNOHANG) == pid_) {
    ended_ = true;
    status_ = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
  }
  return ended_;
}

void CaptureProgram::forward(int signal) const {
  // The terminal gives its Ctrl-C to the whole group.
  const int terminal = signal == SIGINT ? open("/dev/tty", O_RDONLY | O_CLOEXEC) : -1;
  const bool has_it = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
  if (terminal >= 0) {
    close(terminal);
  }
  if (!ended_ && !has_it) {
    kill(pid_, signal);
  }
}

size_t read_connection(int fd, const std::atomic<bool>& stop, char* room, size_t bytes) {
  while (!stop) {
    pollfd p = {fd, POLLIN, 0};
    if (poll(&p, 1, 100) <= 0) {
      continue;
    }
    const ssize_t n = read(fd, room, bytes);
    if (n >= 0 || (errno != EINTR && errno != EAGAIN)) {
      return n > 0 ? static_cast<size_t>(n) : 0;
    }
  }
  return 0;
}

}  // namespace heddle::cli
