// Probes of the TMA and its barrier objects.
#include "tests/configs/effect/kernel_probe.h"
#include "tests/sim/support/tensor_ops.h"

namespace heddle::config::effect {
namespace {

using namespace simtest;

constexpr uint64_t kBarrier = 64, kMaps = 0x2000, kParameters = 0x200;

// UBLKCP: destination, barrier, source (low, high), size in 16-byte units.
Op bulk(uint64_t source, uint64_t bytes) {
  Op o = make(OpClass::kBulkCopy, "UBLKCP").copies(isa::AsyncKind::kBulkLoad);
  o.in.space = isa::MemSpace::kGlobal;
  o.in.mem_refs = 1;
  o.addresses.values = {0, kBarrier, source & 0xffffffff, source >> 32, bytes / 16};
  return o;
}

Kernel bulk_copies() {
  Kernel k;
  k.add(mbarrier_init(kBarrier, 1));
  k.add(mbarrier_expect(kBarrier, 3 << 15).writes_barrier(1));
  for (uint64_t i = 0; i < 3; ++i) {
    k.add(bulk(0x100000 + (i << 15), 1 << 15));
  }
  k.add(mbarrier_wait(kBarrier, 0).writes_barrier(0));
  k.add(mbarrier_arrive(kBarrier).waits(0b11).writes_barrier(2));
  k.add(nop().waits(0b101));
  const uint32_t end = k.add(exit_op());
  std::vector<Kernel::Step> steps;
  for (uint32_t i = 0; i <= end; ++i) {
    steps.push_back({i, 1});
  }
  k.blocks(2).stream(0, steps);
  return k;
}

// All sub-cores at the same time.
Kernel copies_of_warps() {
  Kernel k;
  k.add(bar());
  for (uint64_t i = 0; i < 3; ++i) {
    k.add(bulk(0x100000 + (i << 12), 256));
  }
  k.add(exit_op());
  k.warps(8);
  return k;
}

Kernel copies_in_groups() {
  Kernel k;
  for (uint64_t i = 0; i < 4; ++i) {
    k.add(ldgsts(16).at(0x100000 + 4096 * i, 16));
    k.add(ldgdepbar(0));
  }
  k.add(depbar(0, 1));
  k.add(nop().waits(0b1));
  k.add(exit_op());
  return k;
}

// `maps` descriptors, taken in turn: tiles loaded, stored, reduced.
Kernel tensor_copies(uint32_t maps, bool parameters) {
  const uint64_t first_map = parameters ? kParameters : kMaps;
  Kernel k;
  std::vector<Kernel::Step> steps;
  const auto once = [&](const Op& op) { steps.push_back({k.add(op), 1}); };
  once(mbarrier_init(kBarrier, 1));
  once(mbarrier_expect(kBarrier, 2 * maps * 32 * 8 * 4));
  for (uint32_t turn = 0; turn < 2; ++turn) {
    for (uint32_t i = 0; i < maps; ++i) {
      once(tensor_load(first_map + 128 * i, 0, static_cast<int32_t>(8 * turn), kBarrier));
    }
  }
  once(mbarrier_wait(kBarrier, 0).writes_barrier(0));
  once(nop().waits(0b1));
  for (uint32_t i = 0; i < 4; ++i) {
    once(tensor_store(first_map, 0, static_cast<int32_t>(8 * i)));
    once(tensor_reduce(first_map, 0, static_cast<int32_t>(8 * i)));
  }
  once(make(OpClass::kBulkCopy, "UTMACMDFLUSH").copies(isa::AsyncKind::kFlush));
  once(depbar(0, 0));
  once(exit_op());
  for (uint32_t i = 0; i < maps; ++i) {
    const isa::TensorMap m = map_2d(i % 2 ? 4 : 32, i % 2 ? 64 : 8, 0x1000000 + (uint64_t{i} << 23));
    add_map(k, m, first_map + 128 * i);
  }
  if (parameters) {
    k.mutable_image().parameter_base = kParameters;
    k.mutable_image().parameters.resize(128 * maps);
  }
  k.stream(0, steps);
  return k;
}

}  // namespace

std::vector<Probe> copy_probes() {
  return {
      kernel_probe("bulk copies", bulk_copies),
      kernel_probe("bulk copies of many warps", copies_of_warps),
      kernel_probe("copies in groups", copies_in_groups),
      kernel_probe("a tensor copy", [] { return tensor_copies(1, false); }),
      kernel_probe("a tensor copy by a parameter", [] { return tensor_copies(1, true); }),
      kernel_probe("tensor copies with many maps", [] { return tensor_copies(80, false); }),
  };
}

}  // namespace heddle::config::effect
