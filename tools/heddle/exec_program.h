// A whole CUDA program on a simulated GPU: run with Heddle's libcudart and libcuda (tools/runtime).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "configs/loader/config.h"

namespace heddle::cli {

struct ProgramOptions {
  std::string program;  // a path, or a name to look for as a shell does
  std::vector<std::string> arguments;
  std::string gpu = "h200";
  config::LoadOptions load;
  std::filesystem::path out, timeline;
  bool force = false, functional = false, cold = false, reuse = false, quiet = false;
  bool simulated_clock = true;  // what the program's clocks show; of functional ones this computer's time
  double host_work = 0;         // of this computer's processor time that the program's own work takes
  int threads = 1;
  std::string share;   // the board of the processes that share the device; empty: it and those it makes
  std::string number;  // I/N: this is process I of N that begin together
  std::string compute_mode = "default";
  std::string mig;  // profile of the instance that the device is; empty: the whole GPU
};

// Becomes the program. Throws Error when that cannot be, or when the program would not come by these
// libraries.
[[noreturn]] void exec_program(ProgramOptions o);

}  // namespace heddle::cli
