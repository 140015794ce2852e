#include "sim/sm/state/bulk.h"

#include <algorithm>

namespace heddle::sm {

uint64_t deliver_bulk(isa::BlockProgram& program, const isa::BulkOp& copy, uint8_t sectors,
                      const memory::Payload& values) {
  uint64_t bytes = 0;
  for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
    const uint64_t begin = values.line * memory::kLineBytes + uint64_t{s} * memory::kSectorBytes;
    const uint64_t from = std::max(begin, copy.source);
    const uint64_t to = std::min(begin + memory::kSectorBytes, copy.source + copy.bytes);
    if (sectors >> s & 1 && from < to) {
      program.deliver(copy.destination + (from - copy.source),
                      {&values.data[from % memory::kLineBytes], to - from});
      bytes += to - from;
    }
  }
  return bytes;
}

}  // namespace heddle::sm
