#include "tools/heddle/exec_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/mig.h"
#include "tools/runtime/redirect/symbols.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libcudart.so.13";
constexpr const char* kClocks = "libheddle_preload.so";
constexpr const char* kRedirect = "libheddle_redirect.so";

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

// A program with kernels whose CUDA runtime cannot be replaced would look for a driver, and not find what it
// wants.
void check_libraries(const fs::path& program) {
  if (!fs::is_regular_file(program)) {
    return;
  }
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const redirect::ElfFile file(bytes.data(), bytes.size());
  const redirect::Runtime within = redirect::find_runtime(file).runtime;
  std::string has;
  if (within == redirect::Runtime::kOlder) {
    has = "the runtime of a CUDA before 13 within itself (legal: CUDA 13's)";
  } else if (within == redirect::Runtime::kWithin) {
    has = file.has_loader()
              ? ""
              : "no dynamic loader: it is static as a whole (legal: nvcc without -static and -static-pie)";
  } else if (file.has_section(".nv_fatbin") && bytes.find(kLibrary) == std::string::npos &&
             bytes.find("libcuda.so.1") != std::string::npos) {
    // Text of the runtime's, which no program that calls the driver has.
    const size_t other = bytes.find("libcudart.so.");
    if (bytes.find("cudaErrorCudartUnloading") != std::string::npos) {
      has =
          "CUDA's runtime within itself, and was stripped of the names by which that is replaced (legal: a "
          "program that was not stripped, or one made with nvcc -cudart shared)";
    } else if (other != std::string::npos) {
      has = fmt::format("{} (legal: {}, of CUDA 13)", bytes.substr(other, std::strlen(kLibrary)), kLibrary);
    }
  }
  if (!has.empty()) {
    throw Error(program.string() + " has " + has);
  }
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) {
    setenv(name, value.c_str(), 1);
  } else {
    unsetenv(name);
  }
}

// In a list of the environment's.
void put_before(const char* name, const fs::path& entry) {
  const char* const had = std::getenv(name);
  set(name, entry.string() + (had != nullptr && *had != 0 ? std::string(":") + had : ""));
}

}  // namespace

void exec_program(ProgramOptions o) {
  const fs::path program = found(o.program);
  if (access(program.c_str(), X_OK) != 0 || fs::is_directory(program)) {
    throw Error(fmt::format("{}: {} (legal: a program, or a module with --kernel, --grid and --block)",
                            o.program, fs::is_directory(program) ? "a folder" : std::strerror(errno)));
  }
  check_libraries(program);
  const config::GpuConfig whole =
      load_gpu(o.gpu, o.load);  // what is wrong is known before the program begins
  if (!o.mig.empty()) {
    // What the user says goes before what the profile says.
    config::LoadOptions all = o.load;
    const std::vector<std::string> of_profile = mig_overrides(whole, o.mig);
    all.overrides.insert(all.overrides.begin(), of_profile.begin(), of_profile.end());
    load_gpu(o.gpu, all);
    o.load = all;
  }
  const fs::path file = fs::absolute(config::gpu_file(o.gpu, o.load).path);
  const fs::path folder = fs::absolute(library_folder());
  put_before("LD_LIBRARY_PATH", folder);
  if (o.simulated_clock) {
    put_before("LD_PRELOAD", folder / kClocks);
  }
  put_before("LD_PRELOAD", folder / kRedirect);
  put_before("HEDDLE_CONFIGS", file.parent_path().parent_path());
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
  set("HEDDLE_REUSE", o.reuse ? "1" : "");
  set("HEDDLE_HOST_WORK", o.host_work > 0 ? fmt::format("{:g}", o.host_work) : "");
  set("HEDDLE_QUIET", o.quiet ? "1" : "");
  // Processes that the program makes find each other by a name that nobody else has.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  set("HEDDLE_SHARE", !o.simulated_clock ? ""
                      : o.share.empty()  ? fmt::format("of-{}-{}", getpid(), now)
                                         : o.share);
  set("HEDDLE_SHARE_MAKE", o.share.empty() ? "" : "1");
  set("HEDDLE_SHARE_NUMBER", o.number);
  set("HEDDLE_MIG", o.mig);
  set("HEDDLE_COMPUTE_MODE", o.compute_mode == "default" ? "" : o.compute_mode);
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
