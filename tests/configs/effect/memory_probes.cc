// Probes of the memory: LSU, shared memory, L1, NoC, L2, DRAM, TLBs.
#include "tests/configs/effect/kernel_probe.h"

namespace heddle::config::effect {
namespace {

using namespace simtest;

constexpr uint64_t kBase = 0x10000000;

// Loads, stores and atomics of all widths, coalesced and scattered, hits and misses, of one SM.
Kernel lsu() {
  Kernel k;
  for (int bytes : {4, 8, 16}) {
    for (int stride : {bytes, 36, 128}) {
      k.add(ldg(8, bytes).at(kBase, stride).writes_barrier(0));
      k.add(alu(2, {8}).waits(0b1).stall(4));
      k.add(ldg(8, bytes).at(kBase, stride).writes_barrier(0));
      k.add(alu(2, {8}).waits(0b1).stall(4));
    }
    k.add(stg(bytes).at(kBase + 0x10000, bytes).src(isa::RegFile::kGpr, 4, bytes / 4).reads_barrier(1));
    k.add(alu(4, {8}).waits(0b10).stall(4));
  }
  for (int i = 0; i < 12; ++i) {
    k.add(ldg(8, 16).at(kBase + 0x20000 + 4096 * i, 128).src(isa::RegFile::kGpr, 2, 2).writes_barrier(2));
  }
  k.add(ldg(8).at(kBase + 0x30000).src(isa::RegFile::kGpr, 2, 2).writes_barrier(2).reads_barrier(5));
  k.add(alu(2, {3}).waits(0b100000).stall(4));
  for (int i = 0; i < 6; ++i) {
    k.add(red().at(kBase + 0x40000, 4 * i).reads_barrier(1));
    k.add(atom(9).at(kBase + 0x41000, 4 * i).writes_barrier(3));
  }
  k.add(ldl(10).writes_barrier(4));
  k.add(stl());
  k.add(nop().waits(0b11110));
  k.add(exit_op());
  k.warps(8);
  return k;
}

Kernel shared_memory() {
  Kernel k;
  for (int bytes : {4, 8, 16}) {
    for (int stride : {bytes, 64, 128}) {
      k.add(lds(8, bytes).at(0, stride).writes_barrier(0));
      k.add(alu(2, {8}).waits(0b1).stall(4));
    }
    k.add(sts(bytes).at(0, bytes).src(isa::RegFile::kGpr, 4, bytes / 4).reads_barrier(1));
    k.add(alu(4, {8}).waits(0b10).stall(4));
  }
  for (int stride : {0, 4, 128}) {
    k.add(atoms(8).at(0, stride).writes_barrier(0));
    k.add(alu(2, {8}).waits(0b1).stall(4));
  }
  k.add(ldsm(8, 4).at(0, 16).writes_barrier(0));
  k.add(alu(2, {8}).waits(0b1).stall(4));
  for (int i = 0; i < 12; ++i) {
    k.add(make(OpClass::kShuffle, "SHFL", 12 + i, {2}).writes_barrier(2));
  }
  k.add(nop().waits(0b100));
  k.add(exit_op());
  k.warps(8).shape().dynamic_shared_bytes = 20000;
  return k;
}

// The lines of an SM's L1, twice.
Kernel l1_size() {
  Kernel k;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 1400; ++i) {
      k.add(ldg(8).at(kBase + 128 * i).writes_barrier(0));
    }
    k.add(alu(2, {8}).waits(0b1).stall(4));
  }
  k.add(exit_op());
  return k;
}

// Reads and writes of the whole machine; the second reads find what the L2 has kept.
Kernel stream(uint32_t blocks, int reads, int writes, uint64_t apart = 512) {
  Kernel k;
  const uint64_t span = apart * 8 * blocks;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < reads; ++i) {
      k.add(ldg(8, 16)
                .at(kBase + span * i, 16)
                .per_warp(apart)
                .per_block(8 * apart)
                .flags(isa::kFlagBypassL1)
                .writes_barrier(0));
    }
    k.add(alu(2, {8}).waits(0b1).stall(4));
    for (int i = 0; i < writes; ++i) {
      k.add(stg(16).at(2 * kBase + span * i, 16).per_warp(apart).per_block(8 * apart));
    }
  }
  k.add(exit_op());
  k.blocks(blocks).warps(8);
  return k;
}

// A word of each sector.
Kernel parts() {
  Kernel k;
  for (int i = 0; i < 6; ++i) {
    k.add(stg(4).at(kBase + (uint64_t(i) << 21), 32).per_warp(1024).per_block(8192));
  }
  k.add(exit_op());
  k.blocks(132).warps(8);
  return k;
}

// All SMs read the same lines.
Kernel the_same_lines() {
  Kernel k;
  for (int i = 0; i < 40; ++i) {
    k.add(ldg(8, 16).at(kBase + 512 * i, 16).flags(isa::kFlagBypassL1).writes_barrier(0));
  }
  k.add(alu(2, {8}).waits(0b1).stall(4));
  k.add(exit_op());
  k.blocks(132);
  return k;
}

Kernel atomics() {
  Kernel k;
  for (int stride : {0, 4, 32}) {
    for (int i = 0; i < 6; ++i) {
      k.add(atom(8).at(kBase + 128 * i, stride).writes_barrier(0));
    }
    k.add(alu(2, {8}).waits(0b1).stall(4));
    k.add(red().at(kBase + 0x10000, stride), 6);
  }
  k.add(exit_op());
  k.blocks(132);
  return k;
}

// One load after the other: the same bank, other rows.
Kernel rows() {
  Kernel k;
  for (int i = 0; i < 60; ++i) {
    k.add(ldg(8).at(kBase + 0x5280 * i, 0).flags(isa::kFlagBypassL1).writes_barrier(0));
    k.add(alu(2, {8}).waits(0b1).stall(4));
  }
  k.add(exit_op());
  return k;
}

// A page for each load, of several warps on SMs of all GPCs; then those that others have asked for before.
Kernel pages() {
  Kernel k;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 40; ++i) {
      k.add(ldg(8, 4)
                .at(kBase + (static_cast<uint64_t>(i) << 25), 1 << 21)
                .per_block(uint64_t{1} << (23 + turn))
                .flags(isa::kFlagBypassL1)
                .writes_barrier(0));
    }
    k.add(alu(2, {8}).waits(0b1).stall(4));
  }
  k.add(exit_op());
  k.blocks(24);
  return k;
}

device::RunOptions set_aside(uint64_t bytes) {
  device::RunOptions o;
  o.l2.set_aside_bytes = bytes;
  o.l2.window = {.base = kBase,
                 .bytes = 4 << 20,
                 .hit_ratio = 1,
                 .hit = memory::AccessProperty::kPersisting,
                 .miss = memory::AccessProperty::kStreaming};
  return o;
}

// 96 slices x 4 sets x 20 ways.
const std::vector<std::string> kSmallL2 = {"l2.total_bytes=983040",
                                           "l2.max_persisting_bytes=614400",
                                           "l2.max_dirty_bytes=491520",
                                           "l2.dirty_full_aside_bytes=100000",
                                           "l2.dirty_none_aside_bytes=600000",
                                           "l2.scarce_dirty_bytes=300000"};

}  // namespace

std::vector<Probe> memory_probes() {
  const std::vector<std::string> walks = {"tlb.walk_latency=700", "tlb.l3_latency=90"};
  return {
      kernel_probe("lsu", lsu),
      kernel_probe("shared memory", shared_memory),
      kernel_probe("L1", l1_size),
      kernel_probe("the same lines", the_same_lines),
      kernel_probe("atomics", atomics),
      kernel_probe("rows", rows),
      kernel_probe("stream", [] { return stream(132, 6, 4); }, {"l2.max_persisting_bytes=0"}),
      kernel_probe("pages", pages, walks),
      kernel_probe(
          "a small L2", [] { return stream(132, 3, 2); }, kSmallL2),
      kernel_probe("parts of sectors", parts,
                   {"l2.total_bytes=983040", "l2.max_persisting_bytes=0", "l2.max_partial_bytes=98304"}),
      kernel_probe(
          "a set-aside", [] { return stream(132, 3, 2); }, kSmallL2, set_aside(200000)),
      kernel_probe(
          "a large set-aside", [] { return stream(132, 3, 2); }, kSmallL2, set_aside(500000)),
  };
}

}  // namespace heddle::config::effect
