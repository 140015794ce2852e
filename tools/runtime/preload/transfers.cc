// What the system reads from or writes to unified memory for the program: no instruction of the program's
// tells of that, and the system refuses pages that are not shown.
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/runtime/preload/preload.h"

namespace {

void touch(const void* p, size_t bytes, bool writes) {
  const auto at = reinterpret_cast<uint64_t>(p);
  const HeddleHost* const h = heddle::preload::session();
  if (h != nullptr && bytes != 0 && at >= h->first && at < h->end_of_memory && !h->inside()) {
    h->touch(p, bytes, writes);
  }
}

void touch(const iovec* v, int count, bool writes) {
  for (int i = 0; i < count; ++i) {
    touch(v[i].iov_base, v[i].iov_len, writes);
  }
}

}  // namespace

HEDDLE_PRELOAD ssize_t read(int fd, void* p, size_t bytes) {
  static const auto f = heddle::preload::next<decltype(&read)>("read");
  touch(p, bytes, true);
  heddle::preload::await(fd, POLLIN);
  return f(fd, p, bytes);
}
HEDDLE_PRELOAD ssize_t write(int fd, const void* p, size_t bytes) {
  static const auto f = heddle::preload::next<decltype(&write)>("write");
  touch(p, bytes, false);
  heddle::preload::await(fd, POLLOUT);
  return f(fd, p, bytes);
}
HEDDLE_PRELOAD ssize_t pread(int fd, void* p, size_t bytes, off_t at) {
  static const auto f = heddle::preload::next<decltype(&pread)>("pread");
  touch(p, bytes, true);
  return f(fd, p, bytes, at);
}
HEDDLE_PRELOAD ssize_t pwrite(int fd, const void* p, size_t bytes, off_t at) {
  static const auto f = heddle::preload::next<decltype(&pwrite)>("pwrite");
  touch(p, bytes, false);
  return f(fd, p, bytes, at);
}
HEDDLE_PRELOAD ssize_t readv(int fd, const iovec* v, int count) {
  static const auto f = heddle::preload::next<decltype(&readv)>("readv");
  touch(v, count, true);
  heddle::preload::await(fd, POLLIN);
  return f(fd, v, count);
}
HEDDLE_PRELOAD ssize_t writev(int fd, const iovec* v, int count) {
  static const auto f = heddle::preload::next<decltype(&writev)>("writev");
  touch(v, count, false);
  heddle::preload::await(fd, POLLOUT);
  return f(fd, v, count);
}
HEDDLE_PRELOAD ssize_t recv(int fd, void* p, size_t bytes, int flags) {
  static const auto f = heddle::preload::next<decltype(&recv)>("recv");
  touch(p, bytes, true);
  heddle::preload::await(fd, POLLIN);
  return f(fd, p, bytes, flags);
}
HEDDLE_PRELOAD ssize_t send(int fd, const void* p, size_t bytes, int flags) {
  static const auto f = heddle::preload::next<decltype(&send)>("send");
  touch(p, bytes, false);
  heddle::preload::await(fd, POLLOUT);
  return f(fd, p, bytes, flags);
}
// Large ones go to the system as they are.
HEDDLE_PRELOAD size_t fread(void* p, size_t size, size_t count, FILE* from) {
  static const auto f = heddle::preload::next<decltype(&fread)>("fread");
  touch(p, size * count, true);
  return f(p, size, count, from);
}
HEDDLE_PRELOAD size_t fwrite(const void* p, size_t size, size_t count, FILE* to) {
  static const auto f = heddle::preload::next<decltype(&fwrite)>("fwrite");
  touch(p, size * count, false);
  return f(p, size, count, to);
}
