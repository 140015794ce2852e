// Which memory a generic address belongs to, and which block's shared memory it is.
#include "sim/access/space.h"

#include <catch2/catch.hpp>

namespace heddle::isa {
namespace {

constexpr uint64_t kShared = uint64_t{5} << 32, kLocal = uint64_t{7} << 32;

LaunchShape shape_of(uint32_t cluster) {
  LaunchShape s;
  s.cluster = {cluster, 1, 1};
  s.shared_base = kShared;
  s.local_base = kLocal;
  return s;
}

MemSpace of(const LaunchShape& s, uint64_t address) {
  Instr in;
  in.space = MemSpace::kGeneric;
  return space_of(s, in, address);
}

}  // namespace

TEST_CASE("an instruction's own space goes before its address") {
  Instr in;
  in.space = MemSpace::kGlobal;
  CHECK(space_of(shape_of(1), in, kShared) == MemSpace::kGlobal);
}

TEST_CASE("generic addresses: the windows, to their first and last byte") {
  const LaunchShape s = shape_of(1);
  CHECK(of(s, kShared - 1) == MemSpace::kGlobal);
  CHECK(of(s, kShared) == MemSpace::kShared);
  CHECK(of(s, kShared + kSharedWindow - 1) == MemSpace::kShared);
  // Those of the 15 other blocks that a cluster may have.
  CHECK(of(s, kShared + kSharedWindow) == MemSpace::kDistributedShared);
  CHECK(of(s, kShared + 16 * kSharedWindow - 1) == MemSpace::kDistributedShared);
  CHECK(of(s, kShared + 16 * kSharedWindow) == MemSpace::kGlobal);
  CHECK(of(s, kLocal - 1) == MemSpace::kGlobal);
  CHECK(of(s, kLocal) == MemSpace::kLocal);
  CHECK(of(s, kLocal + kSharedWindow - 1) == MemSpace::kLocal);
  CHECK(of(s, kLocal + kSharedWindow) == MemSpace::kGlobal);
}

TEST_CASE("in a cluster of several blocks all of the shared window is distributed") {
  CHECK(of(shape_of(0), kShared) == MemSpace::kShared);  // none
  CHECK(of(shape_of(1), kShared) == MemSpace::kShared);
  CHECK(of(shape_of(2), kShared) == MemSpace::kDistributedShared);
}

TEST_CASE("windows that are not known have no addresses") {
  LaunchShape s = shape_of(1);
  s.shared_base = s.local_base = 0;
  CHECK(of(s, 0) == MemSpace::kGlobal);
  CHECK(of(s, kShared) == MemSpace::kGlobal);
  CHECK(of(s, kLocal) == MemSpace::kGlobal);
}

TEST_CASE("lanes that reach their own block's memory") {
  const LaunchShape s = shape_of(4);
  uint64_t addr[32] = {};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    addr[lane] = kShared + lane % 4 * kSharedWindow + (lane < 16 ? 0 : kSharedWindow - 4);
  }
  CHECK(own_lanes(s, 6, addr, ~0u) == 0x44444444);  // block 6 is the third of its cluster
  CHECK(own_lanes(s, 7, addr, 0x0000ffff) == 0x00008888);
  for (uint64_t& a : addr) {
    a -= kShared;  // of instructions for this space: offsets in the window
  }
  CHECK(own_lanes(s, 6, addr, ~0u) == 0x44444444);
}

}  // namespace heddle::isa
