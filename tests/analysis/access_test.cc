// Accesses by instruction from a trace, with costs worked out by hand.
#include <catch2/catch.hpp>
#include <string>

#include "analysis/access/access_picture.h"
#include "analysis/access/access_text.h"
#include "analysis/access/remedy_check.h"

namespace heddle::analysis {
namespace {

using Catch::Contains;
using isa::MemRef;
using isa::MemSpace;
using isa::OpClass;

isa::KernelImage image(OpClass op, MemSpace space, uint8_t width, const std::string& text) {
  isa::KernelImage k;
  k.name = std::string("k");
  isa::Instr in;
  in.op = op;
  in.space = space;
  in.width = width;
  in.mem_refs = 1;
  k.code = {isa::Instr{}, in};
  k.code[1].pc = 16;
  k.opcodes = {text};
  k.text = {"NOP", text + " R0, [R2]"};
  return k;
}

// One warp that makes the access of `ref` once, and an instruction before it.
isa::BlockTrace block(MemRef ref, uint32_t mask, std::vector<int32_t> deltas = {}) {
  isa::BlockTrace b;
  b.warps.resize(1);
  b.warps[0].runs = {{0, 2, mask}};
  b.warps[0].refs = {ref};
  b.warps[0].deltas = std::move(deltas);
  return b;
}

MemRef stride(uint64_t base, int32_t bytes) {
  MemRef r;
  r.kind = MemRef::Kind::kStride;
  r.base = base;
  r.stride = bytes;
  return r;
}

MemRef deltas(uint64_t base) {
  MemRef r;
  r.kind = MemRef::Kind::kDelta;
  r.base = base;
  return r;
}

InstrAccesses only(const isa::KernelImage& k, AccessSide side, const isa::BlockTrace& b) {
  AccessProfile p(k, side);
  p.add(b);
  const auto all = p.by_excess();
  REQUIRE(all.size() == 1);
  return all[0];
}

TEST_CASE("a column of a 32 x 32 tile: 32 wavefronts; one word more a row removes 31 conflicts") {
  const isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 4, "LDS");
  const InstrAccesses n = only(k, AccessSide::kBanks, block(stride(1024, 128), ~0u));
  CHECK(n.total == 32);
  CHECK(n.excess() == 31);
  CHECK(n.lowest == 1024);
  CHECK(n.highest == 1024 + 31 * 128 + 4);
  const auto r = remedies_for(k, n, 1024, 1024 + 32 * 128);
  REQUIRE(r.size() == 3);  // two paddings by 1 and 3 words: odd distances; one swizzle
  CHECK(r[0].row_words == 32);
  CHECK(r[0].words == 1);
  CHECK(r[1].words == 3);
  CHECK(cost_with(k.code[1], n.kind, n.worst, r[0]) == AccessCost{1, 1});
  CHECK(moved_address(1024 + 3 * 128 + 8, r[0]) == 1024 + 3 * 132 + 8);
  CHECK(moved_address(1020, r[0]) == 1020);
  CHECK(moved_address(1024 + 32 * 128, r[0]) == 1024 + 32 * 128);
  CHECK(r[2].kind == Remedy::Kind::kSwizzle);
  CHECK(cost_with(k.code[1], n.kind, n.worst, r[2]) == AccessCost{1, 1});
  CHECK(moved_address(1024 + 3 * 128 + 8, r[2]) == 1024 + 3 * 128 + (2 ^ 3) * 4);
  CHECK(moved_address(1024 + 31 * 128 + 1, r[2]) == 1024 + 31 * 128 + 31 * 4 + 1);
}

TEST_CASE("a remedy is judged by all accesses to its rows") {
  // The tile is read by columns and written by rows, with a load and a store.
  isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 4, "LDS");
  k.code[0] = k.code[1];
  k.code[0].op = OpClass::kStShared;
  k.code[0].pc = 0;
  AccessProfile p(k, AccessSide::kBanks);
  std::vector<isa::BlockTrace> blocks;
  for (uint64_t i = 0; i < 32; ++i) {
    isa::BlockTrace b = block(stride(i * 128, 4), ~0u);
    b.warps[0].refs.push_back(stride(i * 4, 128));
    blocks.push_back(b);
  }
  for (const isa::BlockTrace& b : blocks) {
    p.add(b);
  }
  const auto all = p.by_excess();
  REQUIRE(all.size() == 2);
  CHECK(all[0].excess() == 32 * 31);
  const auto r = remedies_for(k, all[0], 0, 4096);
  RemedyCheck check(k, all, r);
  for (const isa::BlockTrace& b : blocks) {
    check.add(b);
    check.add(b);
  }
  for (const RemedyEffect& e : check.effects()) {
    CHECK(e.requests == 128);
    CHECK(e.wavefronts == 2 * (32 + 32 * 32));
    CHECK(e.conflicts == 2 * 32 * 31);
    CHECK(e.wavefronts_with == 128);  // the stores stay free of conflicts
    CHECK(e.conflicts_with == 0);
  }
}

TEST_CASE("parts of a profile put together are the whole") {
  const isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 4, "LDS");
  AccessProfile whole(k, AccessSide::kBanks), first(k, AccessSide::kBanks), second(k, AccessSide::kBanks);
  for (const int32_t bytes : {4, 8, 16, 8, 16, 4}) {
    const isa::BlockTrace b = block(stride(0, bytes), ~0u);
    whole.add(b);
    (whole.accesses() > 3 ? second : first).add(b);
  }
  first.append(second);
  const InstrAccesses a = whole.by_excess().at(0), b = first.by_excess().at(0);
  CHECK(first.accesses() == 6);
  CHECK(b.total == 1 + 2 + 4 + 2 + 4 + 1);
  CHECK(a.total == b.total);
  CHECK(a.as_bad == 2);
  CHECK(b.as_bad == 2);
  CHECK(b.worst.address[1] == 16);
}

TEST_CASE("patterns are counted by their addresses, not by their cost") {
  const isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 4, "LDS");
  AccessProfile p(k, AccessSide::kBanks);
  PatternCounts seen(1000);
  for (const uint64_t base : {0, 128, 128, 0, 132, 128}) {
    p.add(block(stride(base, 8), 0b11), seen);
  }
  p.add(block(deltas(128), 0b11, {8}), seen);  // the same addresses as a list
  p.settle(seen);
  REQUIRE(seen.all().size() == 3);
  uint64_t address[32], from[32];
  const uint64_t times[3] = {2, 4, 1}, first[3] = {0, 128, 132};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(seen.all()[i].times == times[i]);
    seen.expand(seen.all()[i], address, from);
    CHECK(address[0] == first[i]);
    CHECK(address[1] == first[i] + 8);
    CHECK(seen.all()[i].cost == AccessCost{1, 1});
  }
  CHECK(p.accesses() == 7);
  CHECK_FALSE(seen.full());
  PatternCounts small(5);  // words; a pattern has 2
  for (const uint64_t base : {0, 4, 8}) {
    p.add(block(stride(base, 8), 0b11), small);
  }
  CHECK(small.full());
  small.clear();
  CHECK_FALSE(small.full());
}

TEST_CASE("every eighth word: 8 wavefronts, a word behind each 32 removes the conflicts") {
  const isa::KernelImage k = image(OpClass::kStShared, MemSpace::kShared, 4, "STS");
  const InstrAccesses n = only(k, AccessSide::kBanks, block(stride(0, 32), ~0u));
  CHECK(n.total == 8);
  CHECK(n.excess() == 7);
  CHECK(remedies_for(k, n, 0, 1024).at(0).words == 1);
}

TEST_CASE("wide accesses are padded by whole accesses") {
  // 128 bits at a distance of 128 bytes: each of the four groups of 8 lanes takes 8 wavefronts; rows of 32
  // words with 4 more make its lanes follow each other.
  const isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 16, "LDS.128");
  const InstrAccesses n = only(k, AccessSide::kBanks, block(stride(0, 128), ~0u));
  CHECK(n.total == 32);
  CHECK(n.ideal == 4);
  const auto r = remedies_for(k, n, 0, 4096);
  REQUIRE(r.size() >= 2);
  CHECK(r[0].row_words == 32);
  CHECK(r[0].words == 4);
  CHECK(cost_with(k.code[1], n.kind, n.worst, r[0]).total == 4);
  // Groups of 4 words change places: row 9 keeps its group 2 where group 2 ^ 9 % 8 was.
  CHECK(r.back().kind == Remedy::Kind::kSwizzle);
  CHECK(r.back().words == 4);
  CHECK(cost_with(k.code[1], n.kind, n.worst, r.back()).total == 4);
  CHECK(moved_address(9 * 128 + 2 * 16 + 4, r.back()) == 9 * 128 + 3 * 16 + 4);
}

TEST_CASE("atomics that meet in one word cannot be padded apart") {
  const isa::KernelImage k = image(OpClass::kAtomShared, MemSpace::kShared, 4, "ATOMS.ADD");
  const InstrAccesses n = only(k, AccessSide::kBanks, block(stride(64, 0), 0xff));
  CHECK(n.total == 8);
  CHECK(n.excess() == 7);
  CHECK(remedies_for(k, n, 64, 192).empty());
}

TEST_CASE("sums, the worst pattern and how often it comes") {
  const isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 4, "LDS");
  AccessProfile p(k, AccessSide::kBanks);
  p.add(block(stride(0, 4), ~0u));             // 1
  p.add(block(stride(0, 8), ~0u));             // 2
  p.add(block(stride(128, 8), ~0u));           // 2 again, remembered
  p.add(block(deltas(256), 0b111, {0, 128}));  // 2 words of bank 0: 2
  p.add(block(deltas(384), 0b111, {0, -128}));
  p.add(block(deltas(0), 0b111, {4, 8}));  // 1
  p.add(block(stride(0, 8), 0));           // predicated off
  CHECK(p.accesses() == 6);
  const InstrAccesses n = p.by_excess().at(0);
  CHECK(n.requests == 6);
  CHECK(n.total == 10);
  CHECK(n.excess() == 4);
  CHECK(n.as_bad == 4);
  CHECK(n.worst.address[1] == 8);
  CHECK(n.lowest == 0);
}

TEST_CASE("sectors of global memory, and what they would be side by side") {
  const isa::KernelImage k = image(OpClass::kLdGlobal, MemSpace::kGlobal, 4, "LDG.E");
  AccessProfile p(k, AccessSide::kSectors);
  p.add(block(stride(0x1000, 4), ~0u));    // 4 of 4
  p.add(block(stride(0x1010, 4), ~0u));    // 5 of 4
  p.add(block(stride(0x1000, 128), ~0u));  // 32 of 4
  const InstrAccesses n = p.by_excess().at(0);
  CHECK(n.total == 41);
  CHECK(n.ideal == 12);
  CHECK(n.worst.cost == AccessCost{32, 4});
  CHECK(AccessProfile(k, AccessSide::kBanks).by_excess().empty());
}

TEST_CASE("generic addresses belong to the side they lie in") {
  isa::KernelImage k = image(OpClass::kLdGeneric, MemSpace::kGeneric, 4, "LD.E");
  k.shape.shared_base = uint64_t{1} << 40;
  AccessProfile banks(k, AccessSide::kBanks), sectors(k, AccessSide::kSectors);
  for (uint64_t base : {uint64_t{1} << 40, uint64_t{0x1000}}) {
    banks.add(block(stride(base, 128), ~0u));
    sectors.add(block(stride(base, 4), ~0u));
  }
  CHECK(banks.accesses() == 1);
  CHECK(banks.by_excess().at(0).total == 32);
  CHECK(sectors.accesses() == 1);
  CHECK(sectors.by_excess().at(0).total == 4);
}

TEST_CASE("the picture names the pass of every word") {
  const isa::KernelImage k = image(OpClass::kLdShared, MemSpace::kShared, 4, "LDS");
  const InstrAccesses n = only(k, AccessSide::kBanks, block(stride(0, 64), 0b1111));
  const BankPasses passes = bank_passes(k.code[1], n.worst);
  CHECK(passes[0][0] == 1);
  CHECK(passes[1][16] == 1);
  CHECK(passes[2][0] == 2);
  CHECK(passes[3][16] == 2);
  CHECK(passes[4][0] == 0);
  CHECK_THAT(bank_picture(k.code[1], n.worst),
             Contains("   3       ................2...............  0xc0\n"));
}

}  // namespace
}  // namespace heddle::analysis
