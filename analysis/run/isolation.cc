#include "analysis/run/isolation.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "analysis/run/batch.h"
#include "analysis/store/record_bytes.h"
#include "sim/base/cancelled.h"

namespace heddle::analysis {
namespace {

// ---- what goes over the sockets: structures and lengths as they lie in memory, of the same program

enum class Kind : uint8_t { kProgress, kWarning, kRecord, kError, kDeadlock, kMemory };
struct Header {
  Kind kind;
  uint64_t bytes;
};

// False: the other side is gone.
bool send_all(int fd, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    at += n > 0 ? n : 0;
    bytes -= n > 0 ? static_cast<size_t>(n) : 0;
  }
  return true;
}

bool receive_all(int fd, void* data, size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = recv(fd, at, bytes, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return false;
    }
    at += n > 0 ? n : 0;
    bytes -= n > 0 ? static_cast<size_t>(n) : 0;
  }
  return true;
}

struct Message {
  Kind kind = Kind::kError;
  std::string bytes;
};

// Nothing when the other side is gone.
std::optional<Message> receive_message(int fd) {
  Header h{};
  if (!receive_all(fd, &h, sizeof h)) {
    return std::nullopt;
  }
  Message m{h.kind, std::string(h.bytes, '\0')};
  return receive_all(fd, m.bytes.data(), m.bytes.size()) ? std::optional(std::move(m)) : std::nullopt;
}

bool send_message(int fd, Kind kind, const std::string& bytes) {
  Header h{};  // with its padding
  h.kind = kind;
  h.bytes = bytes.size();
  return send_all(fd, &h, sizeof h) && send_all(fd, bytes.data(), bytes.size());
}

// What the maker of workers is asked for: a new one, with its end of a socket, or how one ended.
struct Request {
  pid_t ended = 0;  // 0: a new one
};

bool send_request(int fd, const Request& request, int socket) {
  iovec data{const_cast<Request*>(&request), sizeof request};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr m{};
  m.msg_iov = &data;
  m.msg_iovlen = 1;
  if (socket >= 0) {
    m.msg_control = space.data();
    m.msg_controllen = space.size();
    cmsghdr* c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &socket, sizeof socket);
  }
  return sendmsg(fd, &m, MSG_NOSIGNAL) == sizeof request;
}

// Nothing when the other side is gone.
std::optional<Request> receive_request(int fd, int& socket) {
  Request request;
  iovec data{&request, sizeof request};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr m{};
  m.msg_iov = &data;
  m.msg_iovlen = 1;
  m.msg_control = space.data();
  m.msg_controllen = space.size();
  ssize_t n = 0;
  while ((n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (n != sizeof request) {
    return std::nullopt;
  }
  socket = -1;
  if (const cmsghdr* c = CMSG_FIRSTHDR(&m); c && c->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&socket, CMSG_DATA(c), sizeof socket);
  }
  return request;
}

// ---- the child processes

// Ends with the process that made it; Ctrl-C and the like are that one's business.
void belong_to(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(0);
  }
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
}

bool answer(const Isolation::Work& work, size_t i, int socket) {
  const auto progress = [socket](const device::Progress& p) {
    send_message(socket, Kind::kProgress, {reinterpret_cast<const char*>(&p), sizeof p});
  };
  const auto warn = [socket](std::string_view text) {
    send_message(socket, Kind::kWarning, std::string(text));
  };
  try {
    return send_message(socket, Kind::kRecord, to_bytes(work(i, progress, warn)));
  } catch (const device::DeadlockError& e) {
    std::string text = e.what();
    for (const std::string& line : e.report) {
      text += '\0' + line;
    }
    return send_message(socket, Kind::kDeadlock, text);
  } catch (const std::bad_alloc&) {
    return send_message(socket, Kind::kMemory, "");
  } catch (...) {
    return send_message(socket, Kind::kError, message_of(std::current_exception()));
  }
}

[[noreturn]] void be_worker(const Isolation::Work& work, int socket) {
  for (size_t i = 0; receive_all(socket, &i, sizeof i) && answer(work, i, socket);) {
  }
  _exit(0);
}

[[noreturn]] void be_maker(const Isolation::Work& work, int control) {
  const pid_t self = getpid();
  int socket = -1;
  for (;;) {
    const std::optional<Request> request = receive_request(control, socket);
    if (!request) {
      break;
    }
    int reply = 0;
    if (request->ended) {
      while (waitpid(request->ended, &reply, 0) < 0 && errno == EINTR) {
      }
    } else {
      reply = fork();
      if (reply == 0) {
        close(control);
        belong_to(self);
        be_worker(work, socket);
      }
      close(socket);
    }
    if (!send_all(control, &reply, sizeof reply)) {
      break;
    }
  }
  _exit(0);
}

std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(fmt::format("no socket for a process that simulates: {}", std::strerror(errno)));
  }
  return ends;
}

std::string how(int status) {
  if (!WIFSIGNALED(status)) {
    return fmt::format("ended with status {}", WEXITSTATUS(status));
  }
  const int number = WTERMSIG(status);
  return fmt::format("was ended by signal {} ({}){}", number, strsignal(number),
                     number == SIGKILL ? ", perhaps for want of memory" : "");
}

[[noreturn]] void rethrow(const Message& m) {
  if (m.kind == Kind::kMemory) {
    throw std::bad_alloc();
  }
  if (m.kind == Kind::kDeadlock) {
    std::vector<std::string> lines(1);
    for (char c : m.bytes) {
      c == '\0' ? lines.emplace_back() : lines.back() += c;
    }
    const std::string what = lines.front();
    lines.erase(lines.begin());
    throw device::DeadlockError(what, std::move(lines));
  }
  throw Error(m.bytes);
}

// The answer of a worker, after what it tells before; nothing when it is gone. Throws Cancelled.
std::optional<Message> receive(int socket, const std::atomic<bool>& cancel, const ReportProgress& progress,
                               const Warn& warn) {
  constexpr int kLookMs = 20;  // for a cancellation
  for (;;) {
    pollfd p{socket, POLLIN, 0};
    const int ready = poll(&p, 1, kLookMs);
    if (cancel) {
      throw Cancelled("interrupted");
    }
    if (ready <= 0) {
      continue;
    }
    std::optional<Message> m = receive_message(socket);
    if (!m || (m->kind != Kind::kProgress && m->kind != Kind::kWarning)) {
      return m;
    }
    if (m->kind == Kind::kProgress && progress) {
      device::Progress told;
      std::memcpy(&told, m->bytes.data(), sizeof told);
      progress(told);
    } else if (m->kind == Kind::kWarning && warn) {
      warn(m->bytes);
    }
  }
}

}  // namespace

Isolation::Isolation(const Work& work) {
  const std::array<int, 2> ends = socket_pair();
  const pid_t self = getpid();
  maker_ = fork();
  if (maker_ == 0) {
    close(ends[0]);
    belong_to(self);
    be_maker(work, ends[1]);
  }
  close(ends[1]);
  control_ = ends[0];
  if (maker_ < 0) {
    close(control_);
    throw Error(fmt::format("the host starts no process: {}", std::strerror(errno)));
  }
}

Isolation::~Isolation() {
  for (const Worker& w : idle_) {
    close(w.socket);
  }
  close(control_);
  while (waitpid(maker_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Isolation::Worker Isolation::start() {
  const std::array<int, 2> ends = socket_pair();
  Worker w{-1, ends[0]};
  const bool asked = send_request(control_, {}, ends[1]);
  close(ends[1]);
  if (!asked || !receive_all(control_, &w.pid, sizeof w.pid) || w.pid < 0) {
    close(w.socket);
    throw Error("the host starts no process for a simulation");
  }
  return w;
}

Isolation::Worker Isolation::take() {
  std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    return start();
  }
  const Worker w = idle_.back();
  idle_.pop_back();
  return w;
}

int Isolation::ended(const Worker& worker) {
  close(worker.socket);
  std::lock_guard lock(mutex_);
  const Request request{worker.pid};
  int status = 0;
  if (!send_request(control_, request, -1) || !receive_all(control_, &status, sizeof status)) {
    throw Error("the process that starts simulations has ended");
  }
  return status;
}

LaunchRecord Isolation::run(size_t i, const std::atomic<bool>& cancel, const ReportProgress& progress,
                            const Warn& warn) {
  const Worker worker = take();
  send_all(worker.socket, &i, sizeof i);  // one that is gone is noticed below
  std::optional<Message> answer;
  try {
    answer = receive(worker.socket, cancel, progress, warn);
  } catch (...) {
    kill(worker.pid, SIGKILL);
    ended(worker);
    throw;
  }
  if (!answer) {
    throw Crashed("the process of the simulation " + how(ended(worker)));
  }
  {
    std::lock_guard lock(mutex_);
    idle_.push_back(worker);
  }
  if (answer->kind != Kind::kRecord) {
    rethrow(*answer);
  }
  return record_from_bytes(answer->bytes);
}

}  // namespace heddle::analysis
