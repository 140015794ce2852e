// What a warp knows of itself.
#include <bit>

#include "sim/exec/handlers/handlers.h"

namespace heddle::exec {
namespace {

uint32_t first_of(uint32_t lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

// value(lane) into the lanes of d0.
template <class F>
bool put(WarpCore& w, Group& g, const Inst& in, uint32_t mask, F value) {
  Register& d = *w.banks(g).at(in.d[0]);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    d[first_of(m)] = value(first_of(m));
  }
  ++g.pc;
  return true;
}

}  // namespace

bool sleep(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  w.slept += (*w.banks(g).at(in.s[0]))[first_of(mask)];
  ++w.strong_polls;
  ++g.pc;
  return true;
}

bool active_mask(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  return put(w, g, in, mask, [&](uint32_t) { return mask; });
}

bool clock(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  ++w.strong_polls;
  const uint64_t now = w.time == nullptr       ? w.executed + w.slept
                       : (in.sub & kOfNs) != 0 ? w.time->ns()
                                               : w.time->cycle;
  const uint64_t shown = now >> (in.sub & ~kOfNs) & static_cast<uint64_t>(in.offset);
  return put(w, g, in, mask, [&](uint32_t) { return shown; });
}

bool local_address(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const Register* s = w.banks(g).at(in.s[0]);
  return put(w, g, in, mask, [&](uint32_t lane) {
    return (s != nullptr ? (*s)[lane] : 0) + g.local + static_cast<uint64_t>(in.offset);
  });
}

}  // namespace heddle::exec
