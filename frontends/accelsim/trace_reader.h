// Accel-Sim text traces (.traceg, tracer versions 3 to 5) as a stream of blocks.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/accelsim/byte_stream.h"
#include "frontends/accelsim/static_code.h"
#include "sim/isa/recording.h"

namespace heddle::accelsim {

// Which of a trace's companion files are read. For kernel-1.traceg.zst these are kernel-1.sass (static
// instructions with encodings) and kernel-1.extra[.zst|.xz|.gz] (operands the text format has no room for),
// in its directory.
enum class Companion { kIfPresent, kRequired, kIgnored };

struct OpenOptions {
  Companion side = Companion::kIfPresent;
  Companion extra = Companion::kIfPresent;
  std::filesystem::path side_file;   // overrides the name above
  std::filesystem::path extra_file;  // overrides the name above
  // Cluster size, instead of the header's: a size compiled into the kernel (__cluster_dims__) is not among
  // the launch attributes a tracer sees, and its header says (1,1,1).
  std::optional<isa::Dim3> cluster;
  StreamOptions stream;
  Listing* listing = nullptr;  // receives what the static code was made from
};

// Opens a trace: header and static code are complete in image() when this returns. Without a side file that
// takes a pass over the whole trace, which collects the instructions that were executed.
//
// Blocks come in the order of the file; BlockTrace::linear counts them. Warps come by index, all of them,
// also those with no instruction. A dynamic instance of an instruction with n = Instr::mem_refs and a
// non-zero mask has n MemRefs:
//   LDGSTS    [0] the global addresses (trace), [1] the shared addresses (extra file, else kNone).
//   SYNCS     the mbarrier addresses of the set lanes, from the extra file, as kStride or kFull;
//   MemRef::count data
//             operands follow, one for each set lane: the k-th is WarpTrace::values[list + k] for kStride and
//             WarpTrace::values[list + count + k] for kFull, whose addresses lie at values[list + 0 ..
//             count-1]. count = 0: no operands recorded. (Every other kStride, kDelta and kFull reference has
//             count = 0.)
//   TMA, bulk copies, GMMA   kValues: `count` uniform-register values of 32 bits, as the extra file lists
//   them. others    the addresses of the trace: kStride (also mode 0 and 2 lists that turn out to be regular,
//   and single
//             lanes, with stride 0), kDelta, or kFull where a delta exceeds 32 bits.
//   kNone     where neither file records anything (mem_width 0).
//
// Both this and next() throw heddle::Error, "FILE:LINE: what (legal: ...)".
std::unique_ptr<isa::BlockSource> open_trace(const std::filesystem::path& trace,
                                             const OpenOptions& options = {});

// The same over memory, which must outlive the source. `name` stands for the trace in messages, `name`.sass
// and `name`.extra for the companions.
struct TraceInMemory {
  std::string name;
  std::string_view trace;
  std::optional<std::string_view> side;
  std::optional<std::string_view> extra;
};
std::unique_ptr<isa::BlockSource> open_trace(const TraceInMemory& trace, const StreamOptions& options = {},
                                             Listing* listing = nullptr);

}  // namespace heddle::accelsim
