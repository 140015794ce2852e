// Global memory as the host uses it: allocations, bytes of its own, which have been written, who comes there.
#include <catch2/catch.hpp>

#include <array>

#include "sim/base/error.h"
#include "sim/exec/launch.h"
#include "sim/exec/memory.h"

namespace heddle::exec::test {
namespace {

bool written(const Memory& m, uint64_t address) {
  const Memory::Range* r = m.range(address);
  return r->written[address - r->base] != 0;
}

}  // namespace

TEST_CASE("the host's bytes are found at their address until they are released") {
  Memory m;
  std::array<uint8_t, 64> bytes{};
  bytes[63] = 7;
  m.adopt(0x5000, bytes);
  std::array<uint8_t, 1> last{};
  m.read(0x503f, last);
  CHECK(last[0] == 7);
  m.write(0x5000, std::array<uint8_t, 1>{9});
  CHECK(bytes[0] == 9);
  CHECK(m.range(0x4fff) == nullptr);
  CHECK(m.range(0x5040) == nullptr);
  // Nothing of them may be there already; what only touches them may.
  std::array<uint8_t, 64> more{};
  CHECK_THROWS_WITH(m.adopt(0x503f, more), "64 bytes at 0x503f: 64 bytes at 0x5000 are there already");
  CHECK_THROWS_WITH(m.adopt(0x4fc1, more), "64 bytes at 0x4fc1: 64 bytes at 0x5000 are there already");
  m.adopt(0x4fc0, more);
  std::array<uint8_t, 64> behind{};
  m.adopt(0x5040, behind);
  CHECK(m.release(0x5000));
  CHECK_FALSE(m.release(0x5000));
  CHECK(m.range(0x5000) == nullptr);
  CHECK(m.range(0x5040) != nullptr);
  CHECK(m.range(0x4fff) != nullptr);
}

TEST_CASE("the host's bytes count as written, an allocation's not before they are") {
  Memory m;
  m.track_writes();
  std::array<uint8_t, 16> bytes{};
  m.adopt(0x5000, bytes);
  CHECK(written(m, 0x5000));
  CHECK(written(m, 0x500f));
  const uint64_t a = m.allocate(16);
  CHECK_FALSE(written(m, a));
  m.write(a + 4, std::array<uint8_t, 4>{});
  CHECK_FALSE(written(m, a + 3));
  CHECK(written(m, a + 4));
  CHECK(written(m, a + 7));
  CHECK_FALSE(written(m, a + 8));
  m.mark_written(a + 12, 4);
  CHECK_FALSE(written(m, a + 11));
  CHECK(written(m, a + 15));
}

TEST_CASE("the allocation that an address is in") {
  Memory m;
  const uint64_t a = m.allocate(64), b = m.allocate(64);
  CHECK(m.range(a) != nullptr);
  CHECK(m.range(b + 63) != nullptr);
  CHECK(m.range(b + 64) == nullptr);
  CHECK(m.range(b) != nullptr);
}

TEST_CASE("a stack by the limit: the frame and the limit, in 16s, up to what a thread may have") {
  Code code;
  FunctionInfo f;
  f.local_bytes = 48;
  code.functions = {f};
  Launch launch;
  launch.code = &code;
  launch.stack_limit = 1000;
  CHECK(launch.local_bytes() == 48);
  code.stack_by_limit = true;
  CHECK(launch.local_bytes() == 48 + 1008);
  for (const auto& [limit, stack] : {std::pair{0, 0}, {1, 16}, {15, 16}, {16, 16}, {17, 32}, {1024, 1024}}) {
    launch.stack_limit = static_cast<uint64_t>(limit);
    CHECK(launch.local_bytes() == 48U + static_cast<uint32_t>(stack));
  }
  launch.stack_limit = uint64_t{1} << 33;
  CHECK(launch.local_bytes() == kMostLocalBytes);
}

}  // namespace heddle::exec::test
