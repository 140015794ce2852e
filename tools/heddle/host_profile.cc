#include "tools/heddle/host_profile.h"

#include <fmt/format.h>

#include <string>

#include "configs/loader/config.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"
#include "tools/heddle/shell.h"

namespace heddle::cli {
namespace {

constexpr int kNoProfile = 2;  // what is printed says why

// Looks in the folder first, then where Python does.
constexpr const char* kReader =
    "import sys\n"
    "sys.path[:0] = sys.argv[2:]\n"
    "try:\n"
    "    from heddle._profile_text import main\n"
    "except ImportError as e:\n"
    "    print(f'the Python package heddle reads profiles, and cannot be imported: {e}')\n"
    "    sys.exit(2)\n"
    "sys.exit(main(sys.argv[1]))\n";

// Of the checkout that the shipped configurations are of; empty where the package is installed elsewhere.
std::string package_folder() {
  const std::filesystem::path h200 = config::gpu_file("h200").path;
  for (const std::filesystem::path& file : {h200, std::filesystem::weakly_canonical(h200)}) {
    const std::filesystem::path folder =
        file.parent_path().parent_path().parent_path() / "analysis" / "python";
    if (std::filesystem::is_directory(folder / "heddle")) {
      return folder.string();
    }
  }
  return "";
}

}  // namespace

workload::Workload read_profile(const std::filesystem::path& file) {
  if (const std::string why = input::why_not_regular(file); !why.empty()) {
    throw Error(fmt::format("{}: {}", file.string(), why));
  }
  const std::string folder = package_folder();
  const std::string command =
      fmt::format("/usr/bin/python3 -P -B -c {} {} {} < /dev/null", shell_word(kReader),
                  shell_word(file.string()), folder.empty() ? "" : shell_word(folder));
  ShellAnswer a = run_shell(command);
  if (a.status == kNoProfile) {
    a.text.erase(a.text.find_last_not_of('\n') + 1);
    throw Error(a.text.starts_with(file.string()) ? a.text : fmt::format("{}: {}", file.string(), a.text));
  }
  if (a.status != 0) {
    throw Error(fmt::format("{}: Python's reader of profiles failed", file.string()));
  }
  return workload::parse_workload(a.text, file.string() + " as a workload");
}

}  // namespace heddle::cli
