// The command line as a function.
#pragma once

namespace heddle::cli {

// Parses, runs, reports errors. Returns the exit status: 0, 1 for an error, 128 + the number of a signal.
int run_command_line(int argc, const char* const* argv);

}  // namespace heddle::cli
