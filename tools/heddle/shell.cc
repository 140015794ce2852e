#include "tools/heddle/shell.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sim/base/error.h"

namespace heddle::cli {

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

ShellAnswer run_shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) {
    throw Error(fmt::format("cannot start {}: {}", command, std::strerror(errno)));
  }
  ShellAnswer a;
  std::array<char, 1 << 16> buffer;
  for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    a.text.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  a.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return a;
}

}  // namespace heddle::cli
