// What tools/tracer, inside the program that is captured, sends to `heddle capture`. Both are built from this
// file, on the same machine: plain structs, as they lie in memory.
//
// A connection is a sequence of frames: FrameHead and its payload. First comes kHello, at best kBye last.
//   kHello     Hello
//   kContext   a CUDA context was made: name of the device
//   kFunction  FunctionHead, its name, then for each instruction InstrHead, its text, its source file
//   kMemcpy    Memcpy
//   kLaunch    LaunchHead, `functions` numbers (FunctionHead::first, the kernel's own first), the parameters.
//              Of a CUDA graph's launch one for each of its kernels that is recorded, before their records
//   kRecords   of the launches: records one behind the other, where one may go on in the next frame
//   kEnd       the launches are complete
//   kDropped   Dropped, name of the kernel: a launch that could not be recorded
//   kListed    Listed, name of the kernel: a launch that was seen, with --list
//   kError     text: this process captures nothing more
//   kNote      text
//   kBye       Bye
#pragma once

#include <stdint.h>

namespace heddle::capture {

inline constexpr uint32_t kMagic = 0x48445452;  // "HDTR"
inline constexpr uint32_t kVersion = 2;

enum Frame : uint32_t {
  kHello = 1,
  kContext,
  kFunction,
  kMemcpy,
  kLaunch,
  kRecords,
  kEnd,
  kDropped,
  kListed,
  kError,
  kNote,
  kBye,
};

struct FrameHead {
  uint32_t magic = kMagic, kind = 0;
  uint64_t bytes = 0;  // of the payload
};

struct Hello {
  uint32_t version = kVersion, pid = 0;
};

struct FunctionHead {
  // Instructions have numbers that count on from function to function of the connection.
  uint32_t first = 0, count = 0;
  uint32_t name_bytes = 0, unused = 0;
};

struct InstrHead {
  uint64_t low = 0, high = 0;  // encoding
  uint32_t offset = 0;         // in the function
  uint32_t line = 0;           // of the source; 0: not known
  uint32_t text_bytes = 0, file_bytes = 0;
};

struct Memcpy {
  uint64_t address = 0, bytes = 0;
};

struct LaunchHead {
  uint64_t number = 0;  // among all launches of the process, from 1
  uint64_t stream = 0;
  uint64_t shared_base = 0, local_base = 0;
  uint64_t record_bytes = 0;  // of a graph's launch those of all its kernels, in each head
  uint64_t graph = 0;         // number in the process, from 1; 0: no graph launched it
  uint64_t graph_launch = 0;  // among all launches of graphs in the process, from 1
  // Blocks that are recorded, by their positions in launch order; 0: all.
  uint64_t first_block = 0, blocks = 0;
  uint32_t node = 0;  // what Record::node has of it
  uint32_t grid[3] = {}, block[3] = {}, cluster[3] = {};
  uint32_t compute_capability = 0;
  uint32_t registers = 0, static_shared = 0, dynamic_shared = 0, local_bytes = 0;
  int32_t carveout = -1;
  uint32_t cooperative = 0;
  uint32_t parameter_base = 0, parameter_bytes = 0;
  uint32_t functions = 0;
};

struct Dropped {
  uint64_t number = 0;
  uint64_t needs = 0,
           has = 0;  // bytes of the device's buffer; 0: the reason follows the name, behind a line's end
};

struct Listed {
  uint64_t number = 0;
  uint64_t graph = 0;  // as LaunchHead's
  uint32_t grid[3], block[3];
};

struct Bye {
  uint64_t launches = 0, selected = 0;
};

// One dynamic instruction of one warp, as the device writes it; what its form says follows, in this order.
struct Record {
  uint32_t block = 0;  // x fastest
  uint32_t instr = 0;  // number
  uint32_t mask = 0;   // active and predicate; 0: nothing follows
  uint8_t warp = 0;
  uint8_t form = 0;
  uint16_t node = 0;  // which of the launches: LaunchHead::node
};

enum Form : uint8_t {
  // Lists of one 64-bit number per set lane, or, strided, of the first one and the distance of the others.
  kLists = 3,          // how many, 0..2
  kStrided = 4,        // the first list
  kSecondStrided = 8,  // the second
  kOperands = 16,      // the second list is of operands, not of addresses
  kUniform = 32,       // kUniformValues words
  kTensorMap = 64,     // address of a tensor map (8 bytes) and its kTensorMapBytes
};

inline constexpr uint32_t kUniformValues = 12;
inline constexpr uint32_t kTensorMapBytes = 128;

}  // namespace heddle::capture
