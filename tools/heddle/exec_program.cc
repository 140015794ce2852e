#include "tools/heddle/exec_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "tools/heddle/load_gpu.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libcudart.so.13";
constexpr const char* kClocks = "libheddle_preload.so";

// Beside the executable, in the build's tree and where it is installed.
fs::path library_folder() {
  const fs::path self = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& f : {self / "runtime", self / "heddle.runfiles/heddle/tools/runtime", self}) {
    if (fs::exists(f / kLibrary)) {
      return f;
    }
  }
  throw Error(fmt::format("no {} beside {} (legal: bazel build //tools:heddle makes it, in {})", kLibrary,
                          self.string(), (self / "runtime").string()));
}

fs::path found(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return program;
  }
  const char* paths = std::getenv("PATH");
  std::string_view rest = paths == nullptr ? "" : paths;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    fs::path p = fs::path(rest.substr(0, colon)) / program;
    if (access(p.c_str(), X_OK) == 0) {
      return p;
    }
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return program;
}

// A program with kernels that brings a CUDA runtime of its own would look for a driver, and not find what it
// wants.
void check_libraries(const fs::path& program) {
  if (!fs::is_regular_file(program)) {
    return;
  }
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.compare(0, 4, "\177ELF") != 0 || bytes.find(".nv_fatbin") == std::string::npos ||
      bytes.find(kLibrary) != std::string::npos || bytes.find("libcuda.so.1") == std::string::npos) {
    return;
  }
  const size_t other = bytes.find("libcudart.so.");
  throw Error(fmt::format("{} has {} (legal: {}; nvcc of CUDA 13 with -cudart shared)", program.string(),
                          other != std::string::npos && bytes.find("cudartStatic") == std::string::npos
                              ? bytes.substr(other, std::strlen(kLibrary))
                              : "CUDA's runtime within itself",
                          kLibrary));
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) {
    setenv(name, value.c_str(), 1);
  } else {
    unsetenv(name);
  }
}

}  // namespace

void exec_program(const ProgramOptions& o) {
  const fs::path program = found(o.program);
  if (access(program.c_str(), X_OK) != 0 || fs::is_directory(program)) {
    throw Error(fmt::format("{}: {} (legal: a program, or a module with --kernel, --grid and --block)",
                            o.program, fs::is_directory(program) ? "a folder" : std::strerror(errno)));
  }
  check_libraries(program);
  load_gpu(o.gpu, o.load);  // what is wrong with it is known before the program begins
  const fs::path file = fs::absolute(config::gpu_file(o.gpu, o.load).path);
  const fs::path folder = fs::absolute(library_folder());
  const char* had = std::getenv("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", folder.string() + (had != nullptr && *had != 0 ? std::string(":") + had : ""));
  if (o.simulated_clock) {
    const char* others = std::getenv("LD_PRELOAD");
    set("LD_PRELOAD",
        (folder / kClocks).string() + (others != nullptr && *others != 0 ? std::string(":") + others : ""));
  }
  const char* configs = std::getenv("HEDDLE_CONFIGS");
  set("HEDDLE_CONFIGS", file.parent_path().parent_path().string() +
                            (configs != nullptr && *configs != 0 ? std::string(":") + configs : ""));
  set("HEDDLE_GPU", file.string());
  std::string overrides;
  for (const std::string& s : o.load.overrides) {
    overrides += s + "\n";
  }
  set("HEDDLE_SET", overrides);
  set("HEDDLE_OUT", o.out.empty() ? "" : fs::absolute(o.out).string());
  set("HEDDLE_TIMELINE", o.timeline.empty() ? "" : fs::absolute(o.timeline).string());
  set("HEDDLE_FORCE", o.force ? "1" : "");
  set("HEDDLE_FUNCTIONAL", o.functional ? "1" : "");
  set("HEDDLE_COLD", o.cold ? "1" : "");
  set("HEDDLE_HOST_WORK", o.host_work > 0 ? fmt::format("{:g}", o.host_work) : "");
  set("HEDDLE_QUIET", o.quiet ? "1" : "");
  set("HEDDLE_THREADS", std::to_string(o.threads));
  std::vector<char*> arguments = {const_cast<char*>(o.program.c_str())};
  for (const std::string& a : o.arguments) {
    arguments.push_back(const_cast<char*>(a.c_str()));
  }
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(fmt::format("{}: {}", program.string(), std::strerror(errno)));
}

}  // namespace heddle::cli
