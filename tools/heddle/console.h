// What the command says besides its results. Results go to stdout; warnings, errors and progress to stderr.
// Names of kernels and files may hold anything: control characters come out as \xNN.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace heddle::cli {

// "heddle: warning: ...". From any thread.
void warn(std::string_view message);
// "heddle: ...", for things that are not wrong.
void note(std::string_view message);
// "heddle: error: ...", one line.
void report_error(std::string_view message);
// Lines of detail under an error or warning, as they are.
void detail(std::string_view line);

// Called before anything is written, so that a progress bar can be cleared; empty to remove it.
void before_output(std::function<void()> clear);

// Writes to stdout and reports a closed pipe or a full disk as a heddle::Error.
void print(std::string_view text);

}  // namespace heddle::cli
