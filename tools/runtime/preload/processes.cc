// Preloaded into programs of `heddle exec`: processes that they make, and what those wait for from each
// other. A thread that waits for another process lets go of its own (HeddleHost::outside), and looks again
// whenever one of the others has gone on. Where there are no others, nothing is different from what the
// system does.
#undef _FORTIFY_SOURCE  // whose inline functions have the names of those that are here
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "tools/runtime/preload/preload.h"

namespace {

using heddle::preload::next;
using heddle::preload::session;
using heddle::preload::shared;

constexpr uint64_t kTryNs = 50;  // a look at what is not there
constexpr uint64_t kNsPerMs = 1'000'000;

// Until come() is true. False: a time has come before, or nobody waits here.
template <class Come>
bool outside(Come& come, uint64_t deadline = kHeddleNoDeadline) {
  return session()->outside([](void* c) { return (*static_cast<Come*>(c))(); }, &come, deadline);
}

uint64_t deadline(std::optional<uint64_t> ns) { return ns ? session()->now() + *ns : kHeddleNoDeadline; }

std::optional<uint64_t> ns_of(const timespec* t) {
  return t == nullptr ? std::nullopt
                      : std::optional(static_cast<uint64_t>(t->tv_sec) * 1'000'000'000 +
                                      static_cast<uint64_t>(t->tv_nsec));
}

// `look` asks without waiting: its result, or 0 for nothing yet. As the system has it where nobody else is.
template <class Look>
int wait_for(const Look& look, std::optional<uint64_t> ns) {
  int result = 0, error = 0;
  auto come = [&] {
    result = look();
    error = errno;
    return result != 0;
  };
  if (ns && *ns == 0) {
    session()->spend(kTryNs, false);
    come();
  } else {
    outside(come, deadline(ns));
  }
  errno = error;
  return result;
}

void makes_process() {
  if (heddle::preload::begun()) {
    session()->makes_process();
  }
}

template <class F>
int spawned(const F& make, pid_t* pid) {
  makes_process();
  pid_t made = 0;
  const int result = make(&made);
  if (result == 0 && pid != nullptr) {
    *pid = made;
  }
  if (result == 0 && shared()) {
    session()->has_made(made);
  }
  return result;
}

}  // namespace

namespace heddle::preload {

bool shared() { return managed() && session()->shared(); }

void await(int fd, short events) {
  if (!shared()) {
    return;
  }
  static const auto f = next<decltype(&poll)>("poll");
  const int error = errno;
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) != 0) {
    session()->spend(kTryNs, false);
  } else if (flags >= 0) {
    auto come = [&] {
      pollfd p{fd, events, 0};
      return f(&p, 1, 0) != 0;
    };
    outside(come);
  }
  errno = error;
}

}  // namespace heddle::preload

// ---- descriptors

HEDDLE_PRELOAD int poll(pollfd* all, nfds_t count, int ms) {
  static const auto f = next<decltype(&poll)>("poll");
  if (!shared()) {
    return f(all, count, ms);
  }
  return wait_for([&] { return f(all, count, 0); },
                  ms < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(ms) * kNsPerMs));
}
HEDDLE_PRELOAD int ppoll(pollfd* all, nfds_t count, const timespec* time, const sigset_t* mask) {
  static const auto f = next<decltype(&ppoll)>("ppoll");
  if (!shared()) {
    return f(all, count, time, mask);
  }
  const timespec none{};
  return wait_for([&] { return f(all, count, &none, mask); }, ns_of(time));
}
HEDDLE_PRELOAD int select(int count, fd_set* in, fd_set* out, fd_set* other, timeval* time) {
  static const auto f = next<decltype(&select)>("select");
  if (!shared()) {
    return f(count, in, out, other, time);
  }
  const auto copy = [](const fd_set* s) { return s == nullptr ? fd_set{} : *s; };
  const fd_set sets[] = {copy(in), copy(out), copy(other)};
  const auto look = [&] {
    fd_set* const to[] = {in, out, other};
    for (int i = 0; i < 3; ++i) {
      if (to[i] != nullptr) {
        *to[i] = sets[i];
      }
    }
    timeval none{};
    return f(count, in, out, other, &none);
  };
  return wait_for(look, time == nullptr ? std::nullopt
                                        : std::optional(static_cast<uint64_t>(time->tv_sec) * 1'000'000'000 +
                                                        static_cast<uint64_t>(time->tv_usec) * 1000));
}
HEDDLE_PRELOAD int epoll_wait(int fd, epoll_event* events, int most, int ms) {
  static const auto f = next<decltype(&epoll_wait)>("epoll_wait");
  if (!shared()) {
    return f(fd, events, most, ms);
  }
  return wait_for([&] { return f(fd, events, most, 0); },
                  ms < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(ms) * kNsPerMs));
}
HEDDLE_PRELOAD int accept(int fd, sockaddr* from, socklen_t* bytes) {
  static const auto f = next<decltype(&accept)>("accept");
  heddle::preload::await(fd, POLLIN);
  return f(fd, from, bytes);
}
HEDDLE_PRELOAD int accept4(int fd, sockaddr* from, socklen_t* bytes, int flags) {
  static const auto f = next<decltype(&accept4)>("accept4");
  heddle::preload::await(fd, POLLIN);
  return f(fd, from, bytes, flags);
}
HEDDLE_PRELOAD ssize_t recvfrom(int fd, void* p, size_t bytes, int flags, sockaddr* from, socklen_t* length) {
  static const auto f = next<decltype(&recvfrom)>("recvfrom");
  heddle::preload::await(fd, POLLIN);
  return f(fd, p, bytes, flags, from, length);
}
HEDDLE_PRELOAD ssize_t recvmsg(int fd, msghdr* message, int flags) {
  static const auto f = next<decltype(&recvmsg)>("recvmsg");
  heddle::preload::await(fd, POLLIN);
  return f(fd, message, flags);
}

// ---- processes

HEDDLE_PRELOAD pid_t wait4(pid_t pid, int* status, int options, rusage* used) {
  static const auto f = next<decltype(&wait4)>("wait4");
  if (!shared()) {
    return f(pid, status, options, used);
  }
  return wait_for([&] { return f(pid, status, options | WNOHANG, used); },
                  (options & WNOHANG) != 0 ? std::optional<uint64_t>(0) : std::nullopt);
}
HEDDLE_PRELOAD pid_t waitpid(pid_t pid, int* status, int options) {
  static const auto f = next<decltype(&waitpid)>("waitpid");
  return shared() ? wait4(pid, status, options, nullptr) : f(pid, status, options);
}
HEDDLE_PRELOAD pid_t wait(int* status) {
  static const auto f = next<decltype(&wait)>("wait");
  return shared() ? wait4(-1, status, 0, nullptr) : f(status);
}
HEDDLE_PRELOAD pid_t wait3(int* status, int options, rusage* used) {
  static const auto f = next<decltype(&wait3)>("wait3");
  return shared() ? wait4(-1, status, options, used) : f(status, options, used);
}
HEDDLE_PRELOAD int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  static const auto f = next<decltype(&waitid)>("waitid");
  if (!shared() || (options & WNOHANG) != 0 || info == nullptr) {
    return f(type, id, info, options);
  }
  const auto look = [&] {
    info->si_pid = 0;
    const int result = f(type, id, info, options | WNOHANG);
    return result == 0 && info->si_pid != 0 ? 1 : result;
  };
  const int result = wait_for(look, std::nullopt);
  return result > 0 ? 0 : result;
}

HEDDLE_PRELOAD pid_t fork() {
  static const auto f = next<decltype(&fork)>("fork");
  makes_process();
  return f();
}
// Whose child may do anything here: it has memory of its own.
HEDDLE_PRELOAD pid_t vfork() { return fork(); }
HEDDLE_PRELOAD int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const arguments[],
                               char* const environment[]) {
  static const auto f = next<decltype(&posix_spawn)>("posix_spawn");
  return spawned([&](pid_t* to) { return f(to, path, actions, attributes, arguments, environment); }, pid);
}
HEDDLE_PRELOAD int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[],
                                char* const environment[]) {
  static const auto f = next<decltype(&posix_spawnp)>("posix_spawnp");
  return spawned([&](pid_t* to) { return f(to, file, actions, attributes, arguments, environment); }, pid);
}
HEDDLE_PRELOAD int system(const char* command) {
  static const auto f = next<decltype(&system)>("system");
  makes_process();
  return f(command);
}
HEDDLE_PRELOAD FILE* popen(const char* command, const char* type) {
  static const auto f = next<decltype(&popen)>("popen");
  makes_process();
  return f(command, type);
}
