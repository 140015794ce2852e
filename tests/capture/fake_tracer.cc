// In the place of tools/tracer/tracer.so: sends the file that FAKE_STREAM names, in the first process that
// loads it.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/tracer/connection.h"

__attribute__((constructor)) static void send() {
  const char *file = std::getenv("FAKE_STREAM"), *path = std::getenv("HEDDLE_CAPTURE_SOCKET");
  sockaddr_un address = {};
  if (!file || !path) {
    return;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t n = send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) {
        break;
      }
      at += static_cast<size_t>(n);
    }
  }
  close(fd);
  unsetenv("FAKE_STREAM");
}
