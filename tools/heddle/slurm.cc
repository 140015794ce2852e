#include "tools/heddle/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "sim/base/error.h"
#include "tools/heddle/shell.h"

namespace heddle::cli {
namespace {

// `command` is shell text. The answer's text is of stdout and stderr.
ShellAnswer ask(const std::string& command) {
  ShellAnswer a = run_shell(command + " 2>&1 < /dev/null");
  a.text.erase(a.text.find_last_not_of('\n') + 1);
  return a;
}

// The value behind "NAME=" in a line of scontrol.
std::string field(const std::string& line, const std::string& name) {
  const size_t at = (" " + line).find(" " + name + "=");
  if (at == std::string::npos) {
    return "";
  }
  const size_t begin = at + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

}  // namespace

std::string job_name(const std::string& text) {
  std::string out = text;
  std::replace_if(
      out.begin(), out.end(),
      [](unsigned char c) { return !(std::isalnum(c) && c < 0x80) && c != '.' && c != '_' && c != '-'; },
      '_');
  return out;
}

std::string job_file(const std::filesystem::path& file) {
  std::string out;
  for (char c : file.string()) {
    // A backslash turns the patterns of the name off, %a of the log among them.
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\') {
      throw Error(
          fmt::format("{}: a batch script of Slurm cannot name it: it has a line break, another "
                      "control character or a backslash (legal: another folder, --out)",
                      file.string()));
    }
    if (c == '%') {
      out += "%%";
      continue;
    }
    if (c == ' ' || c == '\'' || c == '"' || c == '#') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string submit_job(const std::filesystem::path& script) {
  const ShellAnswer a = ask("sbatch --parsable " + shell_word(script.string()));
  if (a.status == 127) {
    throw Error("sbatch: not found; heddle sweep --slurm runs where jobs can be submitted");
  }
  // With warnings in front, and the cluster's name behind a semicolon.
  std::string id = a.text.substr(a.text.rfind('\n') + 1);
  id = id.substr(0, id.find(';'));
  if (a.status != 0 || id.empty() || id.find_first_not_of("0123456789") != std::string::npos) {
    throw Error(fmt::format("sbatch {}: {}", script.string(), a.text));
  }
  return id;
}

std::optional<SlurmTasks> job_tasks(const std::string& job) {
  const ShellAnswer a = ask("squeue --noheader --array --format=%T --jobs=" + job);
  SlurmTasks out;
  if (a.status != 0) {
    return a.text.find("Invalid job id") != std::string::npos ? std::optional(out) : std::nullopt;
  }
  std::istringstream lines(a.text);
  for (std::string state; std::getline(lines, state);) {
    (state == "RUNNING" || state == "COMPLETING" ? out.running : out.pending) += 1;
  }
  return out;
}

std::map<std::string, std::string> job_ends(const std::string& job) {
  std::map<std::string, std::string> out;
  const ShellAnswer a = ask("scontrol --oneliner show job " + job);
  std::istringstream lines(a.text);
  for (std::string line; a.status == 0 && std::getline(lines, line);) {
    const std::string task = field(line, "ArrayTaskId"), exit = field(line, "ExitCode");
    std::string end = field(line, "JobState");
    const size_t colon = exit.find(':');
    if (end == "FAILED" && colon != std::string::npos) {
      end += exit.substr(colon + 1) != "0" ? ", signal " + exit.substr(colon + 1)
                                           : ", exit code " + exit.substr(0, colon);
    }
    out[task] = end;
  }
  return out;
}

size_t largest_array() {
  constexpr size_t kSlurmsDefault = 1001;
  const ShellAnswer a = ask("scontrol show config | sed -n 's/^MaxArraySize *= *//p'");
  size_t n = 0;
  std::from_chars(a.text.data(), a.text.data() + a.text.size(), n);
  return n > 0 ? n : kSlurmsDefault;
}

}  // namespace heddle::cli
