// Plain data of kernels: names, shapes, code lookup, address lists.
#include "sim/isa/recording.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

namespace heddle::isa {
namespace {

TEST_CASE("class and pipe names are distinct and lead back to their values") {
  std::set<std::string_view> seen;
  for (int i = 0; i < kOpClassCount; ++i) {
    auto c = static_cast<OpClass>(i);
    CHECK(seen.insert(name(c)).second);
    CHECK(op_class_from_name(name(c)) == c);
  }
  seen.clear();
  for (int i = 0; i < kPipeCount; ++i) {
    auto p = static_cast<Pipe>(i);
    CHECK(seen.insert(name(p)).second);
    CHECK(pipe_from_name(name(p)) == p);
  }
  CHECK_FALSE(op_class_from_name("no such class"));
  CHECK_FALSE(pipe_from_name(""));
}

TEST_CASE("threads and warps of a block") {
  LaunchShape s;
  CHECK(s.threads() == 1);
  CHECK(s.warps() == 1);
  s.block = {33, 2, 1};
  CHECK(s.threads() == 66);
  CHECK(s.warps() == 3);
  s.block = {32, 32, 1};
  CHECK(s.warps() == 32);
  s.static_shared_bytes = 10;
  s.dynamic_shared_bytes = 20;
  CHECK(s.shared_bytes() == 30);
  CHECK((Dim3{65536, 65536, 4}.count()) == uint64_t{1} << 34);
}

TEST_CASE("index_of finds instructions by pc") {
  KernelImage k;
  CHECK(k.index_of(0) == -1);
  for (uint32_t pc : {0u, 16u, 48u, 160u}) {
    Instr in;
    in.pc = pc;
    k.code.push_back(in);
  }
  CHECK(k.index_of(0) == 0);
  CHECK(k.index_of(16) == 1);
  CHECK(k.index_of(48) == 2);
  CHECK(k.index_of(160) == 3);
  CHECK(k.index_of(32) == -1);
  CHECK(k.index_of(161) == -1);
  CHECK(k.index_of(~0u) == -1);
}

struct Expanded {
  uint64_t addr[32];
  bool ok;
};
Expanded expanded(const WarpTrace& w, const MemRef& r, uint32_t mask) {
  Expanded e;
  std::fill(e.addr, e.addr + 32, 7);
  e.ok = expand(w, r, mask, e.addr);
  return e;
}

TEST_CASE("kStride: the k-th set lane has base + k * stride") {
  WarpTrace w;
  MemRef r;
  r.kind = MemRef::Kind::kStride;
  r.base = 1000;
  r.stride = -4;
  Expanded e = expanded(w, r, 0b11100);
  CHECK(e.ok);
  CHECK(e.addr[2] == 1000);
  CHECK(e.addr[3] == 996);
  CHECK(e.addr[4] == 992);
  CHECK(e.addr[0] == 7);  // lanes outside the mask are left alone
  CHECK(e.addr[5] == 7);
  r.stride = 8;
  e = expanded(w, r, ~0u);
  CHECK(e.addr[31] == 1000 + 31 * 8);
}

TEST_CASE("kDelta: distances from the first set lane") {
  WarpTrace w;
  w.deltas = {99, 16, -32, 4};
  MemRef r;
  r.kind = MemRef::Kind::kDelta;
  r.base = 1 << 20;
  r.list = 1;
  Expanded e = expanded(w, r, 0x80000014);
  CHECK(e.ok);
  CHECK(e.addr[2] == 1 << 20);
  CHECK(e.addr[4] == (1 << 20) + 16);
  CHECK(e.addr[31] == (1 << 20) - 32);
}

TEST_CASE("kFull: one value for each set lane") {
  WarpTrace w;
  w.values = {0, 10, 20, 30};
  MemRef r;
  r.kind = MemRef::Kind::kFull;
  r.list = 1;
  Expanded e = expanded(w, r, 0b100101);
  CHECK(e.ok);
  CHECK(e.addr[0] == 10);
  CHECK(e.addr[2] == 20);
  CHECK(e.addr[5] == 30);
}

TEST_CASE("without lanes or without addresses nothing is written") {
  WarpTrace w;
  MemRef r;
  r.kind = MemRef::Kind::kDelta;
  CHECK(expanded(w, r, 0).addr[0] == 7);
  r.kind = MemRef::Kind::kNone;
  CHECK_FALSE(expanded(w, r, ~0u).ok);
  r.kind = MemRef::Kind::kValues;
  CHECK_FALSE(expanded(w, r, ~0u).ok);
}

TEST_CASE("clear() empties a warp's stream but keeps its number") {
  WarpTrace w;
  w.warp = 5;
  w.runs.push_back({0, 1, 1});
  w.instructions = 1;
  w.values.push_back(1);
  w.clear();
  CHECK(w.warp == 5);
  CHECK(w.runs.empty());
  CHECK(w.values.empty());
  CHECK(w.instructions == 0);
}

}  // namespace
}  // namespace heddle::isa
