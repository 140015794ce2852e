// heddle doctor: what is missing on this machine, and the command that installs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "analysis/report/format.h"
#include "analysis/report/table.h"
#include "configs/loader/config.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/shell.h"

namespace heddle::cli {

extern const char* const kPackages;  // made by the build from tools/packages.txt

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kWantedBytes = uint64_t{2} << 30;  // free, for results and a build

struct Check {
  std::string what, state, detail;
  bool bad = false;
};

bool on_path(const std::string& program) {
  const char* variable = std::getenv("PATH");
  std::istringstream path(std::string(variable ? variable : "") + ":/usr/sbin:/sbin");
  for (std::string folder; std::getline(path, folder, ':');) {
    std::error_code missing;
    if (fs::is_regular_file(fs::path(folder) / program, missing)) {
      return true;
    }
  }
  return false;
}

// Group -> packages, as tools/packages.txt has them.
std::vector<std::pair<std::string, std::vector<std::string>>> groups() {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  std::istringstream list(kPackages);
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with('[')) {
      out.push_back({line.substr(1, line.find(']') - 1), {}});
    } else if (!line.empty() && line[0] != '#' && !out.empty()) {
      out.back().second.push_back(line);
    }
  }
  return out;
}

std::set<std::string> installed() {
  std::set<std::string> out;
  std::istringstream lines(
      run_shell("dpkg-query -W -f '${db:Status-Abbrev} ${Package}\\n' 2> /dev/null").text);
  for (std::string status, package; lines >> status >> package;) {
    if (status == "ii") {
      out.insert(package);
    }
  }
  return out;
}

// The program alone needs no packages; who has the sources wants to build them.
bool in_checkout() {
  std::error_code error;
  for (fs::path p = fs::current_path(error); !error && !p.empty(); p = p.parent_path()) {
    if (fs::exists(p / "tools" / "packages.txt", error)) {
      return true;
    }
    if (p == p.parent_path()) {
      break;
    }
  }
  return false;
}

Check configurations() {
  size_t good = 0;
  std::string bad;
  for (const std::string& name : config::gpu_names()) {
    const std::vector<std::string> problems = config::check(name);
    good += problems.empty();
    bad += problems.empty() ? "" : (bad.empty() ? "" : "; ") + problems.front();
  }
  const bool none = good == 0 && bad.empty();
  return {"GPU configurations", bad.empty() && !none ? "good" : "bad",
          none          ? "none found: set HEDDLE_CONFIGS"
          : bad.empty() ? fmt::format("{} GPUs", good)
                        : bad,
          !bad.empty() || none};
}

Check disk() {
  std::error_code error;
  const fs::space_info space = fs::space(".", error);
  const bool bad = error || space.available < kWantedBytes;
  return {"disk space here", bad ? "little" : "good",
          error ? error.message() : analysis::quantity(static_cast<double>(space.available), "B") + " free",
          bad};
}

Check optional_program(const std::string& what, const std::string& program, const std::string& why) {
  const bool there = on_path(program);
  return {what, there ? "found" : "not found", there ? "" : why, false};
}

int doctor() {
  using Align = analysis::TextTable::Align;
  std::vector<Check> checks = {configurations(), disk()};
  checks.push_back({"cores", "good", fmt::format("{}", std::thread::hardware_concurrency()), false});
  const std::set<std::string> have = installed();
  const bool checkout = in_checkout();
  std::string needed, wanted;
  for (const auto& [group, packages] : groups()) {
    std::string missing;
    for (const std::string& p : packages) {
      missing += have.contains(p) ? "" : " " + p;
    }
    const bool need = group == "build" && checkout;
    (need ? needed : wanted) += missing;
    checks.push_back({fmt::format("packages: {}", group),
                      missing.empty() ? "good"
                      : need          ? "missing"
                                      : "optional",
                      missing.empty() ? fmt::format("{}", packages.size()) : "missing:" + missing,
                      need && !missing.empty()});
  }
  checks.push_back(optional_program("Slurm", "sbatch", "heddle sweep --slurm needs it"));
  checks.push_back(
      optional_program("browser", "chromium", "any browser shows the pages of heddle report --html"));
  const bool python = std::system("python3 -c 'import heddle' > /dev/null 2>&1") == 0;
  checks.push_back({"Python package heddle", python ? "found" : "not found",
                    python ? "" : "only for scripts and notebooks; PYTHONPATH leads to it", false});

  analysis::TextTable t({{"what", Align::kLeft}, {"state", Align::kLeft}, {"", Align::kLeft}});
  bool bad = false;
  for (const Check& c : checks) {
    t.add({c.what, c.state, c.detail});
    bad = bad || c.bad;
  }
  std::string text = t.str();
  for (const auto& [what, list] : {std::pair("needed", &needed), {"for the optional parts", &wanted}}) {
    if (!list->empty()) {
      text += fmt::format("{}: apt-get install --no-install-recommends{}\n", what, *list);
    }
  }
  print(text + (bad ? "something needed is missing\n" : "all that is needed is there\n"));
  return bad ? 1 : 0;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  CLI::App* c = app.add_subcommand("doctor", "what is missing here, and the command that installs it");
  c->callback([&status] { status = doctor(); });
}

}  // namespace heddle::cli
