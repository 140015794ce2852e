// Facts about the machine that the simulation runs on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace heddle::analysis {

std::string hostname();
std::string utc_now();  // "2026-11-20T15:04:05Z"
uint64_t max_rss_bytes();

// Processor time of all threads of the process so far: on a busy machine it says more than the clock.
double cpu_seconds();

// Of the source this program was built from, where the build was stamped (.bazelrc:
// --workspace_status_command); otherwise "unknown".
std::string revision();

// Fingerprint of a trace: of the file itself and its .sass and .extra companions, the sizes and the first and
// last MiB. 16 hexadecimal digits. Reading all of a trace of many gigabytes would take longer than some
// simulations.
std::string trace_fingerprint(const std::filesystem::path& trace);

// Bytes of a text trace and its companions on disk.
uint64_t trace_bytes(const std::filesystem::path& trace);

}  // namespace heddle::analysis
