// A configuration for a GPU of which a few published figures are known: everything else is that of the
// shipped GPU that is most like it, and says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "configs/loader/config.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::config {

// What data sheets and papers say. Nothing where it is not known.
struct Figures {
  std::string name;        // of the configuration
  std::string product;     // empty: the name
  std::string capability;  // "sm_86"
  std::string base;    // a configuration; empty: of this capability the one with the nearest number of SMs
  std::string source;  // of the figures: "NVIDIA's product page"; empty: "given to heddle config fit"
  std::optional<uint32_t> sms, gpcs;
  std::optional<double> core_mhz;
  std::optional<double> dram_gb_per_s;  // 10^9 bytes per second
  std::optional<double> memory_gib, l2_mib;
  std::optional<uint32_t> l2_latency,
      dram_latency;  // core cycles of a dependent load that hits there, or misses
};

struct FittedValue {
  std::string path, value;
  Provenance::Kind kind = Provenance::ASSUMED;
  std::string source;
};

struct Fit {
  GpuConfig config;
  std::string base;                 // its name
  std::vector<FittedValue> values;  // those that are not the base's
  std::vector<std::string> notes;   // what had to be adapted, and what nobody said; a line each
};

// Values of the SM and the limits come from the capability and keep their provenance; what belongs to the
// chip (topology, clocks, launch, noc, l2, dram, tlb, host) and follows from no figure is ASSUMED, "as BASE".
// Throws heddle::Error, naming the figure, where there is no such capability or the figures contradict each
// other.
Fit fit(const Figures& figures, const LoadOptions& options = {});

}  // namespace heddle::config
