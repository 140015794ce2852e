// A small assembler: kernels for tests, and what happened when they ran.
//
//   Kernel k;
//   k.add(ldg(1).at(0x1000, 4).writes_barrier(0));
//   k.add(alu(2, {1}).waits(0b1));
//   Outcome o = run(test_gpu(), k);
//   CHECK(o.cycles(0) == Cycles{0, 413});   // issue cycles of warp 0, counted from the kernel's first issue
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/gpu.h"
#include "sim/isa/recording.h"
#include "sim/sm/sm.h"
#include "sim/stats/result.h"

namespace heddle::simtest {

using isa::OpClass;
using stats::Counter;
using stats::Stall;
using Cycles = std::vector<Cycle>;

// The addresses of one memory instruction: lane i of warp w of block b uses
// base + i * stride + w * per_warp + b * per_block, or list[i] + the same offsets.
struct Addresses {
  uint64_t base = 0;
  int32_t stride = 0;
  uint64_t per_warp = 0, per_block = 0;
  std::vector<uint64_t> list;    // 32 entries, or none
  std::vector<uint64_t> values;  // raw operands instead of addresses (UBLKCP)
  std::vector<uint64_t> data;    // SYNCS: one data operand, the same for all lanes; STAS: its barrier object
  bool recorded = true;
};

// One static instruction. The setters return the instruction, so that they chain.
struct Op {
  isa::Instr in;
  std::string text = "OP";
  Addresses addresses;

  // Control bits.
  Op& stall(int n) { return in.ctl.stall = static_cast<uint8_t>(n), *this; }
  Op& yield() { return in.ctl.yield = true, *this; }
  Op& writes_barrier(int b) { return in.ctl.write_barrier = static_cast<uint8_t>(b), *this; }
  Op& reads_barrier(int b) { return in.ctl.read_barrier = static_cast<uint8_t>(b), *this; }
  Op& waits(int mask) { return in.ctl.wait_mask = static_cast<uint8_t>(mask), *this; }
  Op& reuse(int slots) { return in.ctl.reuse = static_cast<uint8_t>(slots), *this; }
  // Registers.
  Op& dst(isa::RegFile file, int index, int count = 1);
  Op& src(isa::RegFile file, int index, int count = 1);
  // Others.
  Op& flags(int f) { return in.flags |= static_cast<uint32_t>(f), *this; }
  Op& predicated() { return flags(isa::kFlagPredicated); }
  Op& copies(isa::AsyncKind kind) { return in.async.kind = kind, *this; }
  Op& waits_for_phase() { return in.syncs.kind = isa::SyncsForm::Kind::kWait, *this; }
  Op& constant(int bank, int offset);
  Op& width(int bytes) { return in.width = static_cast<uint8_t>(bytes), *this; }
  Op& at(uint64_t base, int stride = 0) { return addresses.base = base, addresses.stride = stride, *this; }
  Op& per_warp(uint64_t bytes) { return addresses.per_warp = bytes, *this; }
  Op& per_block(uint64_t bytes) { return addresses.per_block = bytes, *this; }
  Op& each(const std::function<uint64_t(int lane)>& address);
  Op& data(uint64_t operand) { return addresses.data = {operand}, *this; }
  Op& unrecorded() { return addresses.recorded = false, *this; }
};

// An instruction of class `op` whose result is R`dst` (none when negative) and whose sources are GPRs in
// slots a, b, c.
Op make(OpClass op, const std::string& text, int dst = -1, std::initializer_list<int> src = {});

Op nop();
Op exit_op();
Op alu(int dst = -1, std::initializer_list<int> src = {});
Op ffma(int dst = -1, std::initializer_list<int> src = {});
Op imad(int dst = -1, std::initializer_list<int> src = {});
Op dfma(int dst = -1, std::initializer_list<int> src = {});
Op mufu(int dst = -1, std::initializer_list<int> src = {});
Op bra();
Op hmma(uint32_t m_n_k, int bits);
// A warp group's, 64 x n x 16 in half precision: n / 2 cycles at 8192 bit-products a cycle.
Op hgmma(uint32_t n = 64);

// Memory: 4 bytes per lane, consecutive lanes, unless at(), width() or each() say otherwise.
Op ldg(int dst, int bytes = 4);
Op stg(int bytes = 4);
Op red(int bytes = 4);
Op atom(int dst, int bytes = 4);
Op lds(int dst, int bytes = 4);
Op sts(int bytes = 4);
Op atoms(int dst, int bytes = 4);
Op ldl(int dst, int bytes = 4);
Op stl(int bytes = 4);
Op ldsm(int dst, int matrices);
Op ldgsts(int bytes = 4);
Op ldgdepbar(int barrier);
Op depbar(int barrier, int count);  // DEPBAR.LE SBx, n
Op bar(int id = 0, int threads = 0);
Op bar_arrive(int id, int threads);
Op membar(int flags = 0);

// A launch: static code and, for every warp, the list of what it executes. Warps without a list of their own
// execute the whole code once, in order.
class Kernel : public isa::BlockSource {
 public:
  struct Step {
    uint32_t index = 0;  // into the code
    uint32_t mask = ~0u;
    uint64_t offset = 0;  // added to its addresses
  };

  Kernel();
  explicit Kernel(std::initializer_list<Op> code) : Kernel() {
    for (const Op& o : code) {
      add(o);
    }
  }

  uint32_t add(const Op& op);  // returns its index
  void add(const Op& op, int times);
  Kernel& warps(uint32_t per_block) { return image_.shape.block = {per_block * 32, 1, 1}, *this; }
  Kernel& blocks(uint32_t n) { return image_.shape.grid = {n, 1, 1}, *this; }
  Kernel& cluster(uint32_t n) { return image_.shape.cluster = {n, 1, 1}, *this; }
  isa::LaunchShape& shape() { return image_.shape; }
  isa::KernelImage& mutable_image() { return image_; }
  // What warp `warp` of every block executes; an empty list makes a warp without instructions.
  Kernel& stream(uint32_t warp, std::vector<Step> steps) { return streams_[warp] = std::move(steps), *this; }
  Kernel& stream_of_block(uint32_t block, uint32_t warp, std::vector<Step> steps);
  // The same for indices only.
  Kernel& order(uint32_t warp, std::initializer_list<uint32_t> indices);
  // Without control bits: the register scoreboard decides.
  Kernel& without_control() { return image_.has_control = false, *this; }

  const isa::KernelImage& image() const override { return image_; }
  bool next(isa::BlockTrace& out) override;
  void rewind() { next_block_ = 0; }
  bool start_over() override { return rewind(), true; }

 private:
  void write(isa::WarpTrace& out, uint32_t block, uint32_t warp, const std::vector<Step>& steps) const;

  isa::KernelImage image_;
  std::vector<Addresses> addresses_;
  std::map<uint32_t, std::vector<Step>> streams_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Step>> block_streams_;
  uint32_t next_block_ = 0;
};

struct Issue {
  uint32_t sm, subcore, warp, index;  // hardware warp; index into the code
  Cycle cycle;                        // of the machine
};

struct Outcome {
  stats::KernelResult result;
  std::vector<Issue> issues;  // by cycle, SM, sub-core
  Cycle first = 0;            // cycle of the first issue

  uint64_t operator[](Counter c) const { return result.totals[c]; }
  uint64_t operator[](Stall s) const { return result.totals[s]; }
  // Issue cycles of a hardware warp, relative to the kernel's first issue.
  Cycles cycles(uint32_t warp, uint32_t sm = 0) const;
  // Issue cycles of instruction `index` by any warp, relative, in order.
  Cycles cycles_of(uint32_t index) const;
  // Warps in the order in which they issued on a sub-core.
  std::vector<uint32_t> sequence(uint32_t subcore, uint32_t sm = 0) const;
  // Warp-cycles over all states; the states partition residency, so it should equal sm__warps_active.
  uint64_t stall_sum() const;
};

Outcome run(const spec::GpuConfig& gpu, Kernel& kernel, device::RunOptions options = {});
Outcome run(device::Gpu& gpu, Kernel& kernel, device::RunOptions options = {});

}  // namespace heddle::simtest
