// Probes of an SM: instruction classes, issue, registers, instruction and constant caches, barriers.
#include "sim/isa/op_class.h"
#include "sim/isa/recorded_phases.h"
#include "tests/configs/effect/kernel_probe.h"

namespace heddle::config::effect {
namespace {

using namespace simtest;
using isa::OpClass;

// Classes whose instructions are more than a result after a time: the other probes have them.
bool has_operands(OpClass c) {
  switch (c) {
    case OpClass::kExit:
    case OpClass::kBranch:
    case OpClass::kBarrier:
    case OpClass::kDepbar:
    case OpClass::kLdgdepbar:
    case OpClass::kClusterBarrier:
    case OpClass::kClusterWait:
    case OpClass::kMbarrier:
    case OpClass::kBulkCopy:
    case OpClass::kWarpgroupDepbar:
      return true;
    default:
      return isa::uses_tensor_memory(c);
  }
}

Op plain(OpClass c) {
  switch (c) {
    case OpClass::kLdGlobal:
    case OpClass::kLdGeneric:
    case OpClass::kAtomGlobal:
    case OpClass::kAtomGeneric: {
      Op o = c == OpClass::kAtomGlobal || c == OpClass::kAtomGeneric ? atom(8) : ldg(8);
      o.in.op = c;
      return o.at(0x100000);
    }
    case OpClass::kStGlobal:
    case OpClass::kStGeneric:
    case OpClass::kRedGlobal: {
      Op o = c == OpClass::kRedGlobal ? red() : stg();
      o.in.op = c;
      return o.at(0x200000);
    }
    case OpClass::kLdShared:
      return lds(8);
    case OpClass::kStShared:
      return sts();
    case OpClass::kAtomShared:
      return atoms(8);
    case OpClass::kLdMatrix:
      return ldsm(8, 4);
    case OpClass::kStMatrix: {
      Op o = ldsm(8, 2);
      o.in.op = c;
      o.in.n_dst = 0;
      return o;
    }
    case OpClass::kLdLocal:
      return ldl(8);
    case OpClass::kStLocal:
      return stl();
    case OpClass::kLdgsts:
      return ldgsts().at(0x300000);
    case OpClass::kHmma:
    case OpClass::kImma:
    case OpClass::kDmma: {
      Op o = hmma(2048, c == OpClass::kDmma ? 64 : 16);
      o.in.op = c;
      o.in.mma_acc_bits = 32;
      return o.dst(isa::RegFile::kGpr, 8);
    }
    case OpClass::kGmma:
      return hgmma();
    default:
      return make(c, std::string(isa::name(c)), 8, {9, 10});
  }
}

// Each class: its result used as soon as it is there, then four in a row, of two warps on a sub-core.
Kernel classes(bool control) {
  Kernel k;
  for (int i = 0; i < isa::kOpClassCount; ++i) {
    const auto c = static_cast<OpClass>(i);
    if (has_operands(c)) {
      continue;
    }
    Op first = plain(c);
    if (control) {
      first.writes_barrier(0);
    }
    k.add(first.stall(2));
    k.add(control ? alu(11, {8}).waits(0b1).stall(4) : alu(11, {8}).stall(4));
    for (int j = 0; j < 4; ++j) {
      k.add(plain(c));
    }
    k.add(nop().stall(15));
  }
  for (OpClass c : {OpClass::kHmma, OpClass::kImma, OpClass::kDmma, OpClass::kGmma}) {  // of unknown shapes
    Op product = make(c, std::string(isa::name(c)), 8, {9, 10});
    k.add(control ? product.writes_barrier(0) : product);
    k.add(control ? alu(11, {8}).waits(0b1).stall(4) : alu(11, {8}).stall(4));
  }
  k.add(exit_op());
  k.warps(8);
  if (!control) {
    k.without_control();
  }
  return k;
}

// Reads that meet in a bank, with and without the reuse cache.
Kernel register_banks() {
  Kernel k;
  for (int i = 0; i < 16; ++i) {
    k.add(ffma(20 + i, {2, 4, 6}));
    k.add(ffma(20 + i, {2, 4, 6}).reuse(0b011));
    k.add(ffma(20 + i, {1, 2, 3}));
  }
  k.add(exit_op());
  k.warps(8);
  return k;
}

Kernel issue_rules() {
  Kernel k;
  k.add(nop(), 6);
  k.add(nop().stall(0).yield());
  const uint32_t near = k.add(bra());
  k.add(nop(), 8);
  k.add(make(OpClass::kConverge, "BSYNC").flags(isa::kFlagReconverges));
  k.add(nop(), 300);
  const uint32_t end = k.add(exit_op());
  std::vector<Kernel::Step> steps;
  for (uint32_t to : {0u, near + 3, 200u}) {  // back, into the next line, far
    for (uint32_t i = 0; i <= near; ++i) {
      steps.push_back({i});
    }
    for (uint32_t i = to; i < to + 5; ++i) {
      steps.push_back({i});
    }
  }
  steps.push_back({near + 9});
  steps.push_back({near + 10});
  steps.push_back({end});
  k.warps(12);
  for (uint32_t w = 0; w < 12; ++w) {
    k.stream(w, steps);
  }
  return k;
}

// More code than any instruction cache holds, twice, by blocks all over a GPC.
Kernel long_code() {
  Kernel k;
  constexpr uint32_t kCode = 9000;
  k.add(alu(1, {2}), kCode);
  const uint32_t end = k.add(exit_op());
  std::vector<Kernel::Step> steps;
  for (uint32_t from : {0u, 2000u, 0u}) {
    for (uint32_t i = from; i < kCode; i += (i % 512 == 511 ? 65 : 1)) {
      steps.push_back({i});
    }
  }
  steps.push_back({end});
  k.warps(2).blocks(4).stream(0, steps).stream(1, {{0}, {1}, {6000}, {end}});
  return k;
}

Kernel constant_banks() {
  Kernel k;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 60; ++i) {
      k.add(imad(3, {1}).stall(2).constant(3, 64 * i));
      k.add(imad(3, {1}).stall(2).constant(0, 0x210 + 64 * i));
    }
    for (int i = 0; i < 1100; ++i) {
      k.add(make(OpClass::kLdc, "LDC", 1).constant(3, 64 * i + 32).writes_barrier(0));
      k.add(alu(2, {1}).waits(0b1).stall(4));
    }
  }
  k.add(make(OpClass::kUldc, "ULDC").constant(3, 8));
  k.add(exit_op());
  k.warps(4).blocks(8);
  return k;
}

Kernel parameters() {
  Kernel k{imad(3, {1}).stall(2).constant(0, 0x210)};
  k.blocks(132);
  return k;
}

Kernel barriers() {
  Kernel k;
  const std::vector<Op> scopes = {membar(isa::kFlagScopeCta), membar(), membar(isa::kFlagScopeSys)};
  for (const Op& fence : scopes) {
    k.add(fence);
    k.add(nop());
    k.add(stg().at(0x100000, 128));
    k.add(fence);
    k.add(nop());
  }
  k.add(bar());
  k.add(bar(1, 64));
  k.add(make(OpClass::kNanosleep, "NANOSLEEP"));
  k.add(nop());
  k.add(exit_op());
  k.warps(2).blocks(2);
  return k;
}

Kernel cluster() {
  constexpr uint64_t kShared = 0x7f0000000000, kWindow = 1 << 24;
  Kernel k;
  const auto remote = [&](Op op, OpClass as, int stride) {
    op.in.op = as;
    op.in.space = isa::MemSpace::kGeneric;
    return op.at(kShared + kWindow, stride);
  };
  const auto arrive = make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive);
  const auto wait = make(OpClass::kClusterWait, "UCGABAR_WAIT");
  k.add(arrive, 2);
  k.add(wait);
  k.add(make(OpClass::kErrbar, "CGAERRBAR"));
  for (int stride : {4, 128, 0}) {
    for (int i = 0; i < 4; ++i) {
      k.add(remote(ldg(1), OpClass::kLdGeneric, stride).writes_barrier(0));
      k.add(remote(stg(), OpClass::kStGeneric, stride).reads_barrier(1));
      k.add(remote(atom(2), OpClass::kAtomGeneric, stride).writes_barrier(2));
    }
  }
  k.add(nop().waits(0b111));
  k.add(arrive);
  k.add(wait);
  k.add(exit_op());
  k.shape().shared_base = kShared;
  k.blocks(8).cluster(4).warps(4).shape().dynamic_shared_bytes = 200000;
  return k;
}

// Matrix products of a warp group, one behind the other and alone.
Kernel warp_group() {
  Kernel k;
  const auto wait = make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR.LE");
  for (uint32_t n : {8u, 64u, 256u}) {
    k.add(make(OpClass::kWarpgroupArrive, "WARPGROUP.ARRIVE"));
    k.add(hgmma(n), 3);
    k.add(wait);
    k.add(nop());
  }
  k.add(exit_op());
  k.warps(8);
  return k;
}

// Products, A in shared memory and in registers, beside arithmetic that issues every cycle, and loads.
Kernel beside_products() {
  Kernel k;
  const auto arithmetic = [&k](int n) {
    for (int i = 0; i < n; ++i) {
      k.add(ffma(i % 8));
    }
  };
  for (const Op& product : {hgmma(), hgmma().src(isa::RegFile::kGpr, 200, 4)}) {
    k.add(product, 12);
    arithmetic(60);
    for (int i = 0; i < 4; ++i) {
      k.add(lds(40 + 4 * i, 16).at(0, 16));
      arithmetic(5);
    }
    k.add(make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR.LE"));
  }
  k.add(exit_op());
  k.warps(8).shape().static_shared_bytes = 4096;
  return k;
}

// Columns that are waited for, products of one SM and of two, what they leave at a barrier object, loads.
Kernel tensor_memory() {
  Kernel k;
  const auto with = [](OpClass c, std::initializer_list<uint64_t> values) {
    Op o = make(c, std::string(isa::name(c)));
    o.in.mem_refs = 1;
    o.addresses.values = values;
    return o;
  };
  Op object = make(OpClass::kMbarrier, "SYNCS.EXCH.64");
  object.in.mem_refs = 1;
  object.in.syncs.kind = isa::SyncsForm::Kind::kInit;
  object.addresses.base = 0x400;
  object.addresses.data = {isa::initial_word(1)};
  k.add(object);
  k.add(with(OpClass::kTensorAlloc, {512, 0, 0}).writes_barrier(0));
  k.add(nop().waits(0b1));
  Op pair = with(OpClass::kTensorMma, {64, 4096, 1024});
  pair.in.flags |= isa::kFlagPair;
  Op commit = make(OpClass::kTensorCommit, "UTCBAR");
  commit.in.mem_refs = 1;
  commit.addresses.base = 0x400;
  commit.addresses.data = {0};
  Op wait = make(OpClass::kMbarrier, "SYNCS.PHASECHK.TRANS64.TRYWAIT").waits_for_phase();
  wait.in.mem_refs = 1;
  wait.addresses.base = 0x400;
  for (const uint64_t phase : {0U, 1U, 2U}) {
    k.add(with(OpClass::kTensorMma, {256, 4096, 2048}), 2);
    k.add(phase == 0 ? pair : with(OpClass::kTensorMma, {8, 4096, 8192}), 2);
    k.add(commit);
    wait.addresses.data = {isa::wait_operand(phase % 2 != 0, false)};
    k.add(Op(wait).writes_barrier(0));
    k.add(nop().waits(0b1));
    Op load = make(OpClass::kTensorLd, "LDTM.x32", 40, {9});
    load.in.matrices = 32;
    k.add(Op(load).writes_barrier(1), 2);
    k.add(alu(11, {40}).waits(0b10).stall(4));
  }
  Op free = with(OpClass::kTensorAlloc, {512, 0, 0});
  free.in.flags |= isa::kFlagTensorFree;
  k.add(free);
  k.add(exit_op());
  k.shape().grid = {264, 1, 1};
  return k;
}

// Pairs of instructions that may issue together.
Kernel pairs() {
  Kernel k;
  for (int i = 0; i < 8; ++i) {
    k.add(alu(1));
    k.add(lds(2));
  }
  k.add(exit_op());
  return k;
}

// All sub-cores load the same lines.
Kernel shared_lines() {
  Kernel k;
  for (int i = 0; i < 4; ++i) {
    k.add(ldg(1).at(0x100000).writes_barrier(0));
    k.add(nop().waits(0b1));
  }
  k.add(exit_op());
  k.warps(8);
  return k;
}

// Stores that other stores may still join, sooner and later, and loads behind more of them than have room.
Kernel merging_stores() {
  Kernel k;
  const auto half = [](uint64_t frame, uint64_t of) {
    return stg().each([=](int lane) {
      return frame * 4096 + static_cast<uint64_t>(lane % 8 * 128 + lane / 8 * 4) + of * 16;
    });
  };
  for (uint64_t gap = 1; gap < 64; ++gap) {
    k.add(half(gap, 0).stall(1));
    k.add(nop().stall(1), static_cast<int>(gap));
    k.add(half(gap, 1).stall(1));
    k.add(nop().stall(15), 20);
  }
  for (int i = 0; i < 80; ++i) {
    k.add(stg().at(0x200000 + static_cast<uint64_t>(i) * 4096, 128).per_warp(1 << 20));
  }
  k.add(ldg(1).at(0x100000).writes_barrier(0));
  k.add(nop().waits(0b1));
  k.add(exit_op());
  k.warps(4);
  return k;
}

// As many blocks as fit, by each of the limits.
Kernel many_blocks(uint32_t warps, uint32_t registers, uint32_t shared) {
  Kernel k;
  k.add(alu(1, {2}).stall(15), 20);
  k.add(exit_op());
  k.blocks(300).warps(warps).shape().dynamic_shared_bytes = shared;
  k.shape().registers_per_thread = registers;
  return k;
}

// A warp that waits with its branches beside three that could issue in every cycle and go behind each other.
Kernel taken_branches() {
  Kernel k;
  k.add(nop().stall(6));
  k.add(bra());
  k.add(nop().stall(2).yield(), 40);
  std::vector<Kernel::Step> jumps, straight;
  for (int i = 0; i < 4; ++i) {
    jumps.push_back({0});
    jumps.push_back({1});
  }
  for (uint32_t i = 2; i < 42; ++i) {
    straight.push_back({i});
  }
  k.warps(13).stream(0, jumps).stream(4, straight).stream(8, straight).stream(12, straight);
  return k;
}

}  // namespace

std::vector<Probe> sm_probes() {
  return {
      kernel_probe("classes", [] { return classes(true); }),
      kernel_probe("classes without control bits", [] { return classes(false); }),
      kernel_probe("register banks", register_banks),
      kernel_probe("issue", issue_rules),
      kernel_probe("taken branches", taken_branches),
      kernel_probe("long code", long_code),
      kernel_probe("constants", constant_banks),
      kernel_probe("parameters on all SMs", parameters, {"sm.constants.gcc_interval=64"}),
      kernel_probe("barriers", barriers),
      kernel_probe("cluster", cluster),
      kernel_probe("warp group", warp_group),
      kernel_probe("beside products", beside_products),
      kernel_probe(
          "tensor memory", tensor_memory,
          {"sm.tensor_memory.columns=512", "sm.op[tensor_mma].pipe=none", "sm.op[tensor_copy].pipe=none",
           "sm.op[tensor_commit].pipe=none", "sm.op[tensor_alloc].pipe=none", "sm.op[tensor_ld].pipe=none",
           "sm.op[tensor_st].pipe=none"}),
      kernel_probe("pairs", pairs, {"sm.issue.dependences=SCOREBOARD"}),
      kernel_probe("merging stores", merging_stores),
      kernel_probe("lines of all sub-cores", shared_lines, {"sm.l1.apart_from_shared=true"}),
      kernel_probe("small blocks", [] { return many_blocks(1, 16, 0); }),
      kernel_probe("blocks of many registers", [] { return many_blocks(3, 255, 0); }),
      kernel_probe("blocks of much shared memory", [] { return many_blocks(5, 32, 100 * 130 + 1); }),
      kernel_probe("blocks of little shared memory", [] { return many_blocks(4, 32, 2000); }),
      kernel_probe("the largest block", [] { return many_blocks(32, 64, 227 << 10); }),
  };
}

}  // namespace heddle::config::effect
