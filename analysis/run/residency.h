// L2 residency control of a run, as its user writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/memory/access_policy.h"

namespace heddle::analysis {

// "BASE,BYTES[,RATIO[,HIT[,MISS]]]": the fields of cudaAccessPolicyWindow. BASE is decimal or 0x..., BYTES
// may be 4MiB, RATIO is 0 to 1 (1), HIT and MISS are normal, streaming or persisting (persisting, streaming).
// Throws Error.
memory::AccessWindow parse_window(std::string_view text);

// Throws Error when `gpu` does not have it: capability below 8.0 (L203), or a set-aside beyond
// l2.max_persisting_bytes (L205).
void check(const memory::L2Policy& policy, const config::GpuConfig& gpu);

// As options of the command, for RunRecord::overrides; none for no policy.
std::vector<std::string> describe(const memory::L2Policy& policy);

}  // namespace heddle::analysis
