// A launch that was saved while it was simulated, as a file.
//
//   preamble                 89 'HEDCKP' 0a, version, checksum
//   section LNCH             what was simulated, and how: CheckpointFile but its state
//   sections STAT            the state of the machine (sim/device/CHECKPOINT.md), in pieces
//
// Each section is compressed and has a checksum (frontends/trace/section.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "frontends/output/file_kind.h"
#include "frontends/output/place.h"

namespace heddle::analysis {

struct CheckpointFile {
  std::string trace;  // LaunchRecord's trace, number and hash
  uint32_t launch = 0;
  std::string trace_hash;
  std::string kernel;
  config::GpuConfig gpu;
  std::string config_hash;                     // config::hash(gpu)
  std::map<std::string, std::string> options;  // of the run that change results or profile: "--l2-window"
  uint64_t cycle = 0;                          // core cycle of the launch at which it was saved
  std::vector<uint8_t> state;

  std::string label() const { return trace + "/" + std::to_string(launch); }
};

output::FileKind checkpoint_file();

// The file appears when it is complete; what it replaces must be a checkpoint, or empty. Throws Error.
void write_checkpoint(const std::filesystem::path& file, output::Replace replace, const CheckpointFile& c);
// Throws Error "FILE: byte OFFSET: what" for one that is truncated, damaged, of another version, or none.
CheckpointFile read_checkpoint(const std::filesystem::path& file);
// The same from memory.
CheckpointFile read_checkpoint(std::string name, std::string_view bytes);

// Throws Error, naming `file` and what differs, unless the checkpoint is of this launch, configuration and
// options.
void check_same(const std::filesystem::path& file, const CheckpointFile& saved, const CheckpointFile& now);

}  // namespace heddle::analysis
