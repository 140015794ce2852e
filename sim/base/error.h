// The one exception type that carries a message meant for the user.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

// `what()` is one line that names the file (or config path) and the place in it, and, where there is one, the
// set of legal values.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
