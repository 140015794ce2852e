// An asynchronous copy in the TMA, and what of it is still to be asked for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/access/line.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"

namespace heddle::sm {

struct Copy {
  uint32_t slot = 0;
  uint32_t generation = 0;  // of the slot: its block can end before the copy does
  uint32_t cluster = 0;
  uint8_t warp = 0;
  uint8_t grid = 0;
  bool computed = false;
  isa::BulkOp op;
  isa::TensorTile tile;  // of a tensor copy
  uint32_t row = 0;      // of the tile: that many have been begun
  uint64_t next = 0;     // address of the next line to request
  uint64_t left = 0;     // bytes of this row to request
  uint32_t flying = 0;   // requests that have no answer yet
  uint32_t sent = 0;     // requests
  // Of a multicast: how many other blocks get it, and how many answers they have in all, the last of them
  // when.
  uint32_t others = 0, elsewhere = 0;
  Cycle latest = 0;
  Cycle earliest = 0;  // it may begin
  Cycle begun = 0;
  Cycle wait = 0;  // before its first row: its descriptor

  bool tensor() const { return isa::is_tensor_copy(op.kind); }
  // Nothing is left to request.
  bool asked() const { return left == 0 && (!tensor() || row == tile.rows); }
  // All answers have come to the other blocks of its multicast.
  bool is_elsewhere() const { return asked() && (sent == 0 || (others > 0 && elsewhere == sent * others)); }
  // Goes on to the next row; its part outside the tensor asks for nothing.
  void next_row() {
    const isa::TensorTile::Row r = tile.row(row++);
    next = r.address;
    left = r.bytes;
  }
  // Takes what is in the next line; `sectors` of it.
  uint64_t take_line(uint8_t& sectors) {
    const uint64_t line = next / memory::kLineBytes, from = next % memory::kLineBytes;
    const uint64_t bytes = std::min(left, memory::kLineBytes - from);
    sectors = 0;
    for (uint64_t s = from / memory::kSectorBytes; s * memory::kSectorBytes < from + bytes; ++s) {
      sectors |= static_cast<uint8_t>(1u << s);
    }
    next += bytes;
    left -= bytes;
    return line;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(slot, generation, cluster, warp, grid, computed, op, tile, row, next, left, flying, sent, others,
       elsewhere, latest, earliest, begun, wait);
  }
};

}  // namespace heddle::sm
