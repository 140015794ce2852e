// The one exception type that carries a message meant for the user.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

// `what()` is one line that names the file (or config path) and the place in it, and, where there is one, the
// set of legal values.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A program has instructions that cannot be done: all of them, a line each.
class Unsupported : public Error {
 public:
  Unsupported(const std::string& what, std::vector<std::string> lines)
      : Error(what), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace heddle
