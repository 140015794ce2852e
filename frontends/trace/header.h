// The first section of a .heddle file: launch, static code, where it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/accelsim/kernelslist.h"
#include "frontends/accelsim/static_code.h"
#include "frontends/trace/trace.pb.h"
#include "sim/isa/kernel.h"

namespace heddle::trace {

// Some blocks of a grid: which one, and from where on in its launch order.
struct Part {
  isa::Dim3 grid;
  uint64_t first_block = 0;
  bool operator==(const Part&) const = default;
};
// A grid of `blocks` blocks, whole clusters, to stand for that part.
isa::Dim3 grid_of_part(uint64_t blocks, const isa::Dim3& cluster);

struct Origin {
  std::string trace;                      // name of the capture
  uint32_t number = 1;                    // launch in the capture
  std::string source;                     // file, for people
  std::string fingerprint;                // of the source; empty: none
  std::vector<accelsim::Memcpy> memcpys;  // copies to the device before the launch
  std::optional<Part> part;               // none: the whole grid
  uint64_t graph = 0;                     // number of the CUDA graph that launched it; 0: none
  uint64_t graph_launch = 0;              // among the launches of graphs
};

pb::Header make_header(const isa::KernelImage& image, const accelsim::Listing& code, const Origin& origin);

// What the static code is decoded from. Throws heddle::Error as image_of() does.
accelsim::Listing listing_of(const pb::Header& header, const std::string& name);

// The image with its decoded code. Throws heddle::Error, "NAME: what", when the header describes no launch.
isa::KernelImage image_of(const pb::Header& header, const std::string& name);
Origin origin_of(const pb::Header& header, const std::string& name);

}  // namespace heddle::trace
