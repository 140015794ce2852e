// A launch as it has been captured: what a .heddle file holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/accelsim/kernelslist.h"
#include "frontends/accelsim/static_code.h"
#include "frontends/capture/input.h"
#include "frontends/trace/header.h"
#include "sim/isa/recording.h"

namespace heddle::capture {

struct Launch {
  isa::KernelImage image;  // its grid is as large as the part, if this is one
  std::optional<trace::Part> part;
  uint64_t graph = 0, graph_launch = 0;  // as in trace::Origin
  accelsim::Listing listing;
  std::vector<accelsim::Memcpy> memcpys;  // before it
  std::vector<isa::WarpTrace> warps;      // by block, in launch order
  uint64_t warp_instructions = 0;

  uint64_t blocks() const { return image.shape.grid.count(); }
  // Grid that was launched, and the first block of it that is here.
  const isa::Dim3& whole_grid() const { return part ? part->grid : image.shape.grid; }
  uint64_t first_block() const { return part ? part->first_block : 0; }
  // The n-th of the blocks that are here, moved out.
  isa::BlockTrace take_block(uint64_t position);
};

// A function of the program, as it was sent.
struct Function {
  uint32_t first = 0;  // number of its first instruction
  std::string name;
  std::vector<InstrHead> code;     // at ascending offsets
  std::vector<std::string> text;   // of each
  std::vector<std::string> files;  // of each; empty: not known
};
Function read_function(const Input& in, std::string_view payload);

// Fills image, listing; the first function is the kernel. Throws heddle::Error where the head describes no
// launch, or the code cannot be decoded. `starts[k]`: where the k-th function begins in image.code.
void describe(const Input& in, const LaunchHead& head, const std::vector<const Function*>& functions,
              std::string_view parameters, Launch& out, std::vector<uint32_t>& starts);

}  // namespace heddle::capture
