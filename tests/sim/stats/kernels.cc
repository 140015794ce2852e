#include "tests/sim/stats/kernels.h"

#include "tests/sim/support/tensor_ops.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

spec::GpuConfig with(const std::function<void(spec::GpuConfig&)>& change, uint32_t sms = 1) {
  spec::GpuConfig g = test_gpu(sms);
  change(g);
  return g;
}

Op lane_exchange(OpClass op, const char* text) { return make(op, text, 1); }

Op dsm_load() {
  Op ld = ldg(1).at(0x7f0001000000, 4);
  ld.in.op = OpClass::kLdGeneric;
  ld.in.space = isa::MemSpace::kGeneric;
  return ld;
}

Op bulk_copy() {
  Op o = make(OpClass::kBulkCopy, "UBLKCP").copies(isa::AsyncKind::kBulkLoad);
  o.in.space = isa::MemSpace::kGlobal;
  o.in.mem_refs = 1;
  o.addresses.values = {0, 64, 0x100000, 0, 8};
  return o;
}

using Samples = std::map<std::string, std::function<Sample()>>;

void add_arithmetic(Samples& s) {
  s["two instructions"] = [] {
    Kernel k{nop().stall(5), exit_op()};
    k.stream(0, {{0, 0x0000ffff}, {1}});
    return Sample{test_gpu(), k};
  };
  s["three blocks"] = [] {
    Kernel k{nop()};
    k.blocks(3).warps(2);
    return Sample{test_gpu(2), k};
  };
  s["every pipe"] = [] {
    Kernel k{alu(),
             ffma(),
             ffma(),
             imad(),
             make(OpClass::kHalf, "HFMA2"),
             dfma(),
             mufu(),
             make(OpClass::kS2ur, "S2UR"),
             make(OpClass::kUniform, "UIADD3"),
             make(OpClass::kConverge, "BSSY"),
             hmma(256, 16),
             lds(1),
             make(OpClass::kTexture, "TEX"),
             make(OpClass::kUnknown, "WHAT").flags(isa::kFlagUnknownOpcode)};
    return Sample{test_gpu(), k};
  };
  s["predicated"] = [] {
    Kernel k{nop(), alu().predicated()};
    k.stream(0, {{0, 0x0000ffff}, {1, 0x000000ff}});
    return Sample{test_gpu(), k};
  };
  s["pairs"] = [] {
    return Sample{with([](auto& g) {
                    g.mutable_sm()->mutable_issue()->set_dependences(spec::Issue::SCOREBOARD);
                    g.mutable_sm()->mutable_issue()->set_dual_issue(true);
                  }),
                  Kernel{alu(1), lds(2), alu(3), lds(4)}};
  };
  s["register ports"] = [] {
    Kernel k;
    k.add(ffma(9, {0, 2, 4}), 5);
    return Sample{
        with([](auto& g) { g.mutable_sm()->mutable_registers()->set_model(spec::RegisterFile::PORTS); }), k};
  };
  s["reuse"] = [] {
    Kernel k;
    k.add(ffma(9, {0, 2, 4}).reuse(0b001), 5);
    return Sample{
        with([](auto& g) { g.mutable_sm()->mutable_registers()->set_model(spec::RegisterFile::PORTS); }), k};
  };
}

void add_memory(Samples& s) {
  s["barriers at L2"] = [] {
    return Sample{with([](auto& g) {
                    g.mutable_launch()->set_slice_membars(2);
                    g.mutable_launch()->set_idle_membars(40);
                  }),
                  Kernel{stg().at(0, 4)}};
  };
  s["global"] = [] {
    // Reads 4 + 32 sectors of which 4 are there the second time; writes 4 that are there.
    Kernel k{ldg(1).at(0, 4).writes_barrier(0), ldg(2).at(0, 32).waits(0b1).writes_barrier(1),
             stg().at(0, 4).waits(0b10)};
    return Sample{test_gpu(), k};
  };
  s["one sector at a time"] = [] {
    // Sector 0 from DRAM, sector 1 from L2, sector 2 from the open row.
    Kernel k{ldg(1).at(0, 0).writes_barrier(0), ldg(1).at(32, 0).waits(0b1).writes_barrier(0),
             ldg(1).at(64, 0).waits(0b1).writes_barrier(0), nop().waits(0b1)};
    return Sample{test_gpu(), k};
  };
  s["atomics"] = [] {
    Kernel k{atom(1).at(0, 0).writes_barrier(0), red().at(4096, 4).waits(0b1), red().at(8192, 0)};
    return Sample{test_gpu(), k};
  };
  s["local"] = [] {
    Kernel k{stl(), ldl(1).writes_barrier(0), ldl(1).waits(0b1).writes_barrier(0), stl().waits(0b1)};
    return Sample{test_gpu(), k};
  };
  s["shared"] = [] {
    Kernel k{lds(1, 4).at(0, 8), lds(1, 16), sts(4).at(0, 16), sts(8), atoms(1).at(0, 0)};
    return Sample{test_gpu(), k};
  };
  s["lane passes"] = [] {
    Kernel k{lane_exchange(OpClass::kShuffle, "SHFL"), lane_exchange(OpClass::kS2RThread, "S2R"), lds(1)};
    k.stream(0, {{0}, {1}, {2, 0}});
    return Sample{test_gpu(), k};
  };
  s["dirty L2"] = [] {
    // 32 lines of one set of 16 ways: 16 leave, 64 bytes each.
    Kernel k{stg().at(0, 4096)};
    return Sample{with([](auto& g) { g.mutable_l2()->set_total_bytes(65536); }), k};
  };
  s["far line"] = [] {
    Kernel k{ldg(1).at(256, 0)};
    return Sample{two_partition_gpu(), k};
  };
  s["TLB"] = [] {
    Kernel k{ldg(1).at(0, 0).writes_barrier(0), ldg(1).at(4 << 20, 0).waits(0b1)};
    return Sample{with([](auto& g) { g.mutable_tlb()->set_enabled(true); }), k};
  };
  s["other block's memory"] = [] {
    Kernel k{dsm_load().writes_barrier(0), nop().waits(0b1)};
    k.shape().shared_base = 0x7f0000000000;
    k.blocks(2).cluster(2);
    return Sample{test_gpu(2), k};
  };
  s["bulk copy"] = [] {
    Op wait = make(OpClass::kMbarrier, "SYNCS.PHASECHK.TRANS64.TRYWAIT").waits_for_phase();
    wait.in.space = isa::MemSpace::kShared;
    wait.in.mem_refs = 1;
    Kernel k{bulk_copy(), wait.at(64, 0).writes_barrier(0), nop().waits(0b1)};
    return Sample{test_gpu(), k};
  };
  s["copies"] = [] {
    Kernel k{ldgsts().at(0, 4), ldgdepbar(0), nop().waits(0b1)};
    return Sample{test_gpu(), k};
  };
}

void add_recorded_copies(Samples& s) {
  s["tensor copies"] = [] {
    // Of three maps one was recorded, one was put together (2 copies), and one is not known.
    Kernel k{tensor_load(0x2000, 0, 0, 64), tensor_load(0x3000, 0, 0, 64), tensor_load(0x3000, 0, 2, 64),
             tensor_load(0x4000, 0, 0, 64)};
    add_map(k, map_2d(32, 2), 0x2000);
    add_map(k, map_2d(32, 2), 0x3000, true);
    return Sample{test_gpu(), k};
  };
  s["wait that nobody ends"] = [] {
    // For 512 bytes of which 256 come.
    Kernel k{mbarrier_init(64, 1), mbarrier_expect(64, 512), tensor_load(0x2000, 0, 0, 64),
             mbarrier_wait(64, 0).writes_barrier(0), nop().waits(0b1)};
    add_map(k, map_2d(32, 2), 0x2000);
    k.stream(0, one_lane({0, 1, 2, 3, 4}));
    return Sample{test_gpu(), k};
  };
  s["spin loop"] = [] {
    // Three turns of a wait and a branch, of which the last one counts.
    Kernel k{mbarrier_wait(64, 0), bra().stall(2), nop()};
    k.order(0, {0, 1, 0, 1, 0, 1, 2});
    return Sample{test_gpu(), k};
  };
}

void add_front_end(Samples& s) {
  s["cold code"] = [] {
    Kernel k;
    k.add(nop(), 17);
    return Sample{
        with([](auto& g) { g.mutable_sm()->mutable_fetch()->set_model(spec::InstructionFetch::CACHED); }), k};
  };
  s["cold constant"] = [] {
    Kernel k{nop(), imad().constant(3, 0), nop()};
    return Sample{
        with([](auto& g) { g.mutable_sm()->mutable_constants()->set_model(spec::ConstantCache::CACHED); }),
        k};
  };
}

void add_waits(Samples& s) {
  s["stall count"] = [] { return Sample{test_gpu(), Kernel{nop().stall(5), nop().stall(3), nop()}}; };
  s["two warps"] = [] {
    Kernel k{nop(), nop(), nop()};
    k.warps(5).order(1, {}).order(2, {}).order(3, {});
    return Sample{test_gpu(), k};
  };
  s["load and wait"] = [] {
    return Sample{test_gpu(), Kernel{ldg(1).at(0, 0).writes_barrier(0), nop().waits(0b1)}};
  };
  s["MUFU and wait"] = [] { return Sample{test_gpu(), Kernel{mufu(1).writes_barrier(0), nop().waits(0b1)}}; };
  s["busy pipe"] = [] { return Sample{test_gpu(), Kernel{dfma(), dfma(), dfma()}}; };
  s["full MIO queue"] = [] {
    Kernel k;
    k.add(lds(1), 6);
    return Sample{test_gpu(), k};
  };
  s["full LG queue"] = [] {
    Kernel k;
    k.add(ldg(1).at(0, 0), 6);
    return Sample{test_gpu(), k};
  };
  s["full queue, texture"] = [] {
    Kernel k;
    k.add(make(OpClass::kTexture, "TEX"), 6);
    return Sample{test_gpu(), k};
  };
  s["full queue, texture before a load"] = [] {
    Kernel k;
    k.add(make(OpClass::kTexture, "TEX"), 5);
    k.add(ldg(1).at(0, 0));
    return Sample{test_gpu(), k};
  };
  s["taken branch"] = [] {
    Kernel k{bra().stall(2), nop(), nop()};
    k.order(0, {0, 2});
    return Sample{test_gpu(), k};
  };
  s["unfinished load"] = [] { return Sample{test_gpu(), Kernel{ldg(1).at(0, 0)}}; };
  s["barrier"] = [] {
    Kernel k{bar(), mufu(), nop()};
    k.warps(4);
    return Sample{test_gpu(), k};
  };
  s["cluster barrier"] = [] {
    return Sample{test_gpu(),
                  Kernel{make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive),
                         make(OpClass::kClusterWait, "UCGABAR_WAIT"), nop()}};
  };
  s["fence"] = [] { return Sample{test_gpu(), Kernel{membar(), nop()}}; };
  s["fence after stores"] = [] { return Sample{test_gpu(), Kernel{stg().at(0, 128), membar(), nop()}}; };
  s["barriers of unknown number"] = [] {
    return Sample{test_gpu(), Kernel{bar(isa::kBarrierInRegister, 32), bar(1, 32)}};
  };
  s["sleep"] = [] { return Sample{test_gpu(), Kernel{make(OpClass::kNanosleep, "NANOSLEEP"), nop()}}; };
  s["warp-group MMA"] = [] {
    return Sample{test_gpu(), Kernel{hgmma(), make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR"), nop()}};
  };
  s["warp-group"] = [] {
    // The fourth warp comes to it 9 cycles later than the others.
    Kernel k{nop().stall(9), make(OpClass::kWarpgroupArrive, "WARPGROUP.ARRIVE"), nop()};
    k.warps(4).order(0, {1, 2}).order(1, {1, 2}).order(2, {1, 2}).order(3, {0, 1, 2});
    return Sample{test_gpu(), k};
  };
  s["warps start apart"] = [] {
    Kernel k{nop(), nop()};
    k.warps(4);
    return Sample{with([](auto& g) { g.mutable_launch()->set_warp_start_interval(2); }), k};
  };
  s["scoreboard mode"] = [] {
    Kernel k{mufu(1), alu(2, {1}), lds(3), alu(4, {3})};
    k.without_control();
    return Sample{test_gpu(), k};
  };
  s["last instruction with a stall count"] = [] { return Sample{test_gpu(), Kernel{nop().stall(7)}}; };
}

}  // namespace

const std::map<std::string, std::function<Sample()>>& samples() {
  static const Samples all = [] {
    Samples s;
    add_arithmetic(s);
    add_memory(s);
    add_recorded_copies(s);
    add_front_end(s);
    add_waits(s);
    return s;
  }();
  return all;
}

const Outcome& outcome(const std::string& name) {
  static std::map<std::string, Outcome> done;
  auto it = done.find(name);
  if (it == done.end()) {
    Sample s = samples().at(name)();
    it = done.emplace(name, run(s.gpu, s.kernel)).first;
  }
  return it->second;
}

}  // namespace heddle::simtest
