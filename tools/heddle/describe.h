// The command line described for others than CLI11: shells and man. All from the same description as --help.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

struct DescribedOption {
  std::vector<std::string> names;  // "--gpu"; "-j" behind "--jobs"
  std::string help;
  std::string value;                 // "FILE.db"; empty for a flag
  std::vector<std::string> choices;  // values that are words: "driver", "max"
  bool positional = false;
  bool required = false;
};

struct DescribedCommand {
  std::string path;  // "heddle config show"
  std::string help;
  std::vector<DescribedOption> options;
  std::vector<std::string> subcommands;  // their names
};

// The program first, then each command in front of its subcommands.
std::vector<DescribedCommand> describe(const CLI::App& app);

// What completion offers behind some options.
struct CompletionValues {
  std::vector<std::string> gpus, metrics, fields, presets;
};

// `shell`: bash, zsh or fish. Throws heddle::Error for others.
std::string completion_script(std::string_view shell, const std::vector<DescribedCommand>& commands,
                              const CompletionValues& values);

// Of section 1, in roff's man macros.
std::string man_page(const std::vector<DescribedCommand>& commands, const std::string& revision);

}  // namespace heddle::cli
