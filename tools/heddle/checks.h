// Checks of the values of options, with messages that name what is legal.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace heddle::cli {

// A whole number, `least` or more.
CLI::Validator at_least(uint64_t least);

// A number of seconds from `least` to `most`; `legal` says so.
CLI::Validator seconds(const std::string& legal, double least, double most = 1e9);

// A number of bytes, decimal, also with a unit: "20MiB". A kb has 1000 bytes or 1024.
CLI::Validator size_value(bool kb_is_1000);

// No option of the program or a command of it takes the empty text: `--out "$UNSET"` is a mistake.
void refuse_empty_values(CLI::App& app);

}  // namespace heddle::cli
