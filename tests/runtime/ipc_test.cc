// Two processes of one device: contexts, memory and events.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "frontends/cuda/share.h"
#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

// Handles from one process to the other.
struct Pipe {
  Pipe() { REQUIRE(pipe(fd) == 0); }
  template <class T>
  void put(const T& t) const {
    REQUIRE(write(fd[1], &t, sizeof t) == sizeof t);
  }
  template <class T>
  T get() const {
    T t{};
    if (read(fd[0], &t, sizeof t) != sizeof t) {
      _exit(99);
    }
    return t;
  }
  int fd[2] = {};
};

// Another process does `body`: what it returns; it says by that what is wrong.
class Other {
 public:
  explicit Other(const std::function<int()>& body) : pid_(fork()) {
    if (pid_ == 0) {
      int result = 98;
      try {
        result = body();
      } catch (...) {
      }
      _exit(result);
    }
  }
  int end() const {
    int status = 0;
    REQUIRE(waitpid(pid_, &status, 0) == pid_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

std::unique_ptr<Share> join(const std::string& name, uint32_t number) {
  return Share::join({.name = name,
                      .makes = true,
                      .number = number,
                      .processes = 2,
                      .slice = host::from_us(2000),
                      .change = host::from_us(10)});
}

// Process numbers are not enough: tests have their own.
std::string name() {
  return fmt::format("test-{}-{}", getpid(), std::chrono::steady_clock::now().time_since_epoch().count());
}

void begin(ContextCase& c, Share& share) {
  c->timeline().threads().share(&share);
  c->timeline().threads().held(true);
}

}  // namespace

TEST_CASE("MU07: memory of one process is another one's, too") {
  const Pipe down, up;
  const Other other([&] {
    ContextCase c;
    const auto h = down.get<Context::MemoryHandle>();
    const uint64_t p = c->import_memory(h);
    if (c->import_memory(h) != p || c.word(p) != 0 || c.word(p + 4) != 3) {
      return 1;
    }
    c->launch(c.add(p, 5), c.legacy());
    if (c.word(p + 4) != 8 || c->space().device_used() != 0) {
      return 2;
    }
    if (status([&] { c->release(p); }) != Status::kInvalidValue) {
      return 3;
    }
    up.put(1);
    down.get<int>();
    if (c.word(p + 8) != 100) {
      return 4;
    }
    c->close_memory(p);
    c->close_memory(p);
    return status([&] { c->close_memory(p); }) == Status::kInvalidValue ? 0 : 5;
  });
  ContextCase c;
  const uint64_t p = c.device(128);
  c.zero(p, 128);
  c->launch(c.add(p + 4, 3, 1), c.legacy());
  const Context::MemoryHandle h = c->export_memory(p + 16), again = c->export_memory(p);
  CHECK(std::memcmp(&h, &again, sizeof h) == 0);
  CHECK(status([&] { c->import_memory(h); }) == Status::kInvalidContext);
  CHECK(status([&] { c->import_memory({}); }) == Status::kInvalidResourceHandle);
  const uint64_t managed = c->allocate(128, host::Memory::kManaged),
                 pinned = c->allocate(128, host::Memory::kPinned);
  const uint64_t pooled = c->allocate(128, c.legacy(), c->pools().current());
  for (const uint64_t no : {managed, pinned, pooled, uint64_t{16}}) {
    CHECK(status([&] { c->export_memory(no); }) == Status::kInvalidValue);
  }
  down.put(h);
  up.get<int>();
  CHECK(c.word(p) == 5);
  CHECK(c.word(p + 4) == 8);
  c->launch(c.add(p + 8, 95, 1), c.legacy());
  c->synchronize();
  down.put(1);
  CHECK(other.end() == 0);
  Context::MemoryHandle gone = h;
  gone.process = 1 << 30;
  CHECK(status([&] { c->import_memory(gone); }) == Status::kInvalidResourceHandle);
}

TEST_CASE("MU07: a stream, and a thread, wait for another process's record of an event") {
  const Pipe down;
  const std::string board = name();
  // Both begin at 0. The parent's kernel takes 500 us; the child's stream waits for it.
  const Other other([&] {
    const auto share = join(board, 2);
    ContextCase c;
    begin(c, *share);
    HostThreads& threads = c->timeline().threads();
    const auto there = [&] {
      pollfd p{down.fd[0], POLLIN, 0};
      return poll(&p, 1, 0) > 0;
    };
    if (!threads.wait_outside(there)) {
      return 3;
    }
    const auto h = down.get<Context::EventHandle>();
    Event& e = c->import_event(h);
    if (c->done(e)) {
      return 1;
    }
    Stream& s = c->create_stream(1, 0);
    c->wait(s, e, false);
    c->synchronize(s);
    const double behind = host::to_us(threads.now());
    c->synchronize(e);
    // The parent's host learns of it as this one's does.
    if (!c->done(e) || !threads.wait_outside(there) || std::abs(behind - down.get<double>()) > 5) {
      return 2;
    }
    c->destroy(e);
    c->timeline().finish();
    return 0;
  });
  const auto share = join(board, 1);
  ContextCase c;
  begin(c, *share);
  c.kernel_us = 500;
  Event& plain = c->create_event(kDisableTiming);
  CHECK(status([&] { c->export_event(plain); }) == Status::kInvalidResourceHandle);
  CHECK(status([&] { c->create_event(kInterprocess); }) == Status::kInvalidValue);
  CHECK(status([&] { c->import_event({}); }) == Status::kInvalidResourceHandle);
  Event& e = c->create_event(kInterprocess | kDisableTiming);
  const uint64_t p = c.device(128);
  c->launch(c.add(p, 1), c.legacy());
  c->record(e, c.legacy(), false);
  CHECK_FALSE(c->done(e));
  down.put(c->export_event(e));
  c->synchronize(e);
  const double end = host::to_us(c->timeline().threads().now());
  CHECK(end > 500);
  down.put(end);
  CHECK(c->done(e));
  c->timeline().finish();
  CHECK(other.end() == 0);
}

TEST_CASE("MU09: in exclusive mode one process has contexts") {
  const Pipe down, up;
  const std::string board = name();
  const Other other([&] {
    const auto share = join(board, 2);
    down.get<int>();
    if (share->makes_context(true) || !share->makes_context(false)) {
      return 1;
    }
    up.put(1);
    down.get<int>();
    const bool mine = share->makes_context(true);
    share->leave();
    return mine ? 0 : 2;
  });
  const auto share = join(board, 1);
  CHECK(share->makes_context(true));
  down.put(1);
  up.get<int>();
  CHECK_FALSE(share->makes_context(true));
  share->drops_context();
  down.put(1);
  CHECK(other.end() == 0);
  share->leave();
}

TEST_CASE("what the others use is not there for a process") {
  const Pipe down, up;
  const std::string board = name();
  const Other other([&] {
    const auto share = join(board, 2);
    share->uses(1 << 20);
    up.put(1);
    down.get<int>();
    const uint64_t others = share->others_use();
    share->leave();
    return others == 123 ? 0 : 1;
  });
  const auto share = join(board, 1);
  up.get<int>();
  CHECK(share->others_use() == 1 << 20);
  share->uses(123);
  down.put(1);
  CHECK(other.end() == 0);
  share->leave();
  CHECK(Share::join({.name = board}) == nullptr);  // it went with the last of them
}

}  // namespace heddle::cuda
