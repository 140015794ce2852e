#include "frontends/sass/control.h"

namespace heddle::sass {

isa::Control decode_control(uint64_t, uint64_t hi) {
  const auto field = [hi](int bit, int bits) {
    return static_cast<uint8_t>((hi >> (bit - 64)) & ((1u << bits) - 1));
  };
  isa::Control c;
  c.stall = field(105, 4);
  c.yield = field(109, 1) == 0;
  c.write_barrier = field(110, 3);
  c.read_barrier = field(113, 3);
  c.wait_mask = field(116, 6);
  c.reuse = field(122, 4);
  return c;
}

}  // namespace heddle::sass
