// The subcommands. Each function adds one to the application; its callback stores the exit status.
#pragma once

#include <CLI/App.hpp>

namespace heddle::cli {

void add_run(CLI::App& app, int& status);
void add_import(CLI::App& app, int& status);
void add_capture(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_timeline(CLI::App& app, int& status);
void add_validate(CLI::App& app, int& status);
void add_config(CLI::App& app, int& status);
void add_config_fit(CLI::App& config, int& status);
void add_metrics(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_sweep_best(CLI::App& sweep, int& status);
void add_sweep_table(CLI::App& sweep, int& status);
void add_shell(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_exec(CLI::App& app, int& status);
void add_lower(CLI::App& app, int& status);
void add_list(CLI::App& app, int& status);
void add_sass(CLI::App& app, int& status);
void add_access(CLI::App& app, int& status);
void add_occupancy(CLI::App& app, int& status);
void add_host(CLI::App& app, int& status);
void add_hostbench(CLI::App& app, int& status);

}  // namespace heddle::cli
