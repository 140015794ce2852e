// The first section of a .heddle file: launch, static code, where it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/accelsim/kernelslist.h"
#include "frontends/accelsim/static_code.h"
#include "frontends/trace/trace.pb.h"
#include "sim/isa/kernel.h"

namespace heddle::trace {

struct Origin {
  std::string trace;                      // name of the capture
  uint32_t number = 1;                    // launch in the capture
  std::string source;                     // file, for people
  std::string fingerprint;                // of the source; empty: none
  std::vector<accelsim::Memcpy> memcpys;  // copies to the device before the launch
};

pb::Header make_header(const isa::KernelImage& image, const accelsim::Listing& code, const Origin& origin);

// The image with its decoded code. Throws heddle::Error, "NAME: what", when the header describes no launch.
isa::KernelImage image_of(const pb::Header& header, const std::string& name);
Origin origin_of(const pb::Header& header, const std::string& name);

}  // namespace heddle::trace
