// Commands of the shell, and what they print.
#pragma once

#include <string>

namespace heddle::cli {

// `text` as a word of the shell.
std::string shell_word(const std::string& text);

struct ShellAnswer {
  int status = 0;    // of exit; 128: a signal ended it
  std::string text;  // its stdout
};

// Runs `command`, which is shell text, to its end. Throws heddle::Error where no shell starts.
ShellAnswer run_shell(const std::string& command);

}  // namespace heddle::cli
