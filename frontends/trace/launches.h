// Traces of any kind behind a path given by the user.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/accelsim/discover.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

bool is_native(const std::filesystem::path& file);  // *.heddle

// What accelsim::discover() finds, whose lists may name .heddle files too; also one .heddle file, which says
// itself what capture and launch it is, and a directory of them without a list, by capture and launch. In
// that, a file that cannot be read goes by its own name, and is an error when it is opened.
std::vector<accelsim::Launch> discover(const std::filesystem::path& path,
                                       std::vector<std::string>* warnings = nullptr);

struct OpenedTrace {
  std::unique_ptr<isa::BlockSource> source;
  std::string fingerprint;  // of what a .heddle was made from; empty: none
  std::string part;         // "blocks 64-127 of the 4096 of its grid"; empty: it is the whole grid
};

// Opens a .heddle or an Accel-Sim trace; `cluster` stands instead of the trace's (accelsim::OpenOptions).
OpenedTrace open_any(const std::filesystem::path& file,
                     const std::optional<isa::Dim3>& cluster = std::nullopt);

}  // namespace heddle::trace
