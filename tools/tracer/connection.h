// To `heddle capture`: frames over a Unix socket.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "frontends/capture/protocol.h"

namespace heddle::capture {

// A payload that grows.
class Payload {
 public:
  template <class T>
  Payload& add(const T& plain) {
    return add(&plain, sizeof plain);
  }
  Payload& add(const void* p, size_t n) {
    const char* c = static_cast<const char*>(p);
    bytes_.insert(bytes_.end(), c, c + n);
    return *this;
  }
  Payload& text(const std::string& s) { return add(s.data(), s.size()); }
  const char* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

 private:
  std::vector<char> bytes_;
};

class Connection {
 public:
  // Nobody at the other end: not open, and whatever is sent is dropped.
  void open(const char* path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (!path || strlen(path) >= sizeof address.sun_path) {
      return;
    }
    strcpy(address.sun_path, path);
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd_ >= 0 && connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close();
    }
  }
  void close() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = -1;
  }
  bool is_open() const { return fd_ >= 0; }

  void send(Frame kind, const void* p, size_t n) {
    FrameHead head;
    head.kind = kind;
    head.bytes = n;
    write(&head, sizeof head);
    write(p, n);
  }
  void send(Frame kind, const Payload& p) { send(kind, p.data(), p.size()); }
  void send(Frame kind, const std::string& text) { send(kind, text.data(), text.size()); }

 private:
  // Waits while the other end is busy; closed once that has gone.
  void write(const void* p, size_t n) {
    const char* c = static_cast<const char*>(p);
    while (fd_ >= 0 && n > 0) {
      const ssize_t done = ::send(fd_, c, n, MSG_NOSIGNAL);
      if (done < 0 && errno != EINTR) {
        close();
      } else if (done > 0) {
        c += done;
        n -= static_cast<size_t>(done);
      }
    }
  }

  int fd_ = -1;
};

}  // namespace heddle::capture
