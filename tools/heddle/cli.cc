#include "tools/heddle/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/run/host.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/stored_batch.h"

namespace heddle::cli {
namespace {

// CLI11 would only say that a subcommand is required.
void check_command(const CLI::App& app, const std::string& name) {
  std::string known;
  for (const CLI::App* c : app.get_subcommands(nullptr)) {
    if (c->check_name(name)) {
      return;
    }
    known += (known.empty() ? "" : ", ") + c->get_name();
  }
  throw Error(fmt::format("{} (there are: {})",
                          name.empty() ? "no command given" : fmt::format("no command '{}'", name), known));
}

// All commands on a screen of 24 lines: no blank lines in front of the options and the commands, no titles.
class ScreenFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (const std::string_view title : {"\nOptions:\n", "\nSubcommands:\n"}) {
      if (const size_t at = text.find(title); at != std::string::npos) {
        text.erase(at, title.size());
      }
    }
    return text;
  }
};

int parse_and_run(CLI::App& app, int argc, const char* const* argv, const int& status) {
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::Success& e) {
    std::ostringstream text;  // --help, --version
    const int code = app.exit(e, text);
    print(text.str());
    return code;
  } catch (const CLI::ParseError& e) {
    // Where the user was when it went wrong: "heddle run".
    std::string command = app.get_name();
    for (const CLI::App* c = &app; !c->get_subcommands().empty();) {
      c = c->get_subcommands().front();
      command += " " + c->get_name();
    }
    report_error(fmt::format("{} ({} --help lists the options)", e.what(), command));
    return 1;
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond a limit is a write that fails, with a message
  CLI::App app("Heddle, a cycle-approximate GPU simulator", "heddle");
  app.set_version_flag("--version", "heddle, revision " + analysis::revision());
  app.require_subcommand(1);
  int status = 0;
  add_run(app, status);
  add_import(app, status);
  add_capture(app, status);
  add_report(app, status);
  add_timeline(app, status);
  add_sweep(app, status);
  add_validate(app, status);
  add_config(app, status);
  add_metrics(app, status);
  add_occupancy(app, status);
  add_lower(app, status);
  add_list(app, status);
  add_sass(app, status);
  add_exec(app, status);
  add_host(app, status);
  add_hostbench(app, status);
  add_access(app, status);
  add_doctor(app, status);
  add_shell(app, status);
  refuse_empty_values(app);
  // Of the program alone: all commands on a screen of 80 columns.
  app.formatter(std::make_shared<ScreenFormatter>());
  app.get_formatter()->column_width(14);
  try {
    if (argc == 1 || argv[1][0] != '-') {
      check_command(app, argc > 1 ? argv[1] : "");
    }
    return parse_and_run(app, argc, argv, status);
  } catch (...) {
    if (caught_signal()) {
      report_error("interrupted");
      return 128 + caught_signal();
    }
    report_error(analysis::message_of(std::current_exception()));
    return 1;
  }
}

}  // namespace heddle::cli
