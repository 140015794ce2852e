#include "tests/sim/support/kernel_builder.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <tuple>

namespace heddle::simtest {

using isa::MemSpace;
using isa::RegFile;

Op& Op::dst(RegFile file, int index, int count) {
  in.dst[in.n_dst++] = {file, static_cast<uint8_t>(index), static_cast<uint8_t>(count), 0};
  return *this;
}

Op& Op::src(RegFile file, int index, int count) {
  in.src[in.n_src] = {file, static_cast<uint8_t>(index), static_cast<uint8_t>(count), in.n_src};
  ++in.n_src;
  return *this;
}

Op& Op::constant(int bank, int offset) {
  in.const_bank = static_cast<uint16_t>(bank);
  in.const_offset = static_cast<uint32_t>(offset);
  if (in.op != OpClass::kLdc && in.op != OpClass::kUldc) {
    flags(isa::kFlagConstOperand);
  }
  return *this;
}

Op& Op::each(const std::function<uint64_t(int lane)>& address) {
  addresses.list.clear();
  for (int lane = 0; lane < 32; ++lane) {
    addresses.list.push_back(address(lane));
  }
  return *this;
}

Op make(OpClass op, const std::string& text, int dst, std::initializer_list<int> src) {
  Op o;
  o.in.op = op;
  o.in.ctl.stall = 1;
  o.text = text;
  if (dst >= 0) {
    o.dst(RegFile::kGpr, dst);
  }
  for (int r : src) {
    o.src(RegFile::kGpr, r);
  }
  return o;
}

Op nop() { return make(OpClass::kNop, "NOP"); }
Op exit_op() { return make(OpClass::kExit, "EXIT"); }
Op alu(int dst, std::initializer_list<int> src) { return make(OpClass::kAlu, "IADD3", dst, src); }
Op ffma(int dst, std::initializer_list<int> src) { return make(OpClass::kFp32, "FFMA", dst, src); }
Op imad(int dst, std::initializer_list<int> src) { return make(OpClass::kImad, "IMAD", dst, src); }
Op dfma(int dst, std::initializer_list<int> src) { return make(OpClass::kFp64, "DFMA", dst, src); }
Op mufu(int dst, std::initializer_list<int> src) { return make(OpClass::kMufu, "MUFU.RCP", dst, src); }
Op bra() { return make(OpClass::kBranch, "BRA"); }

Op hmma(uint32_t m_n_k, int bits) {
  Op o = make(OpClass::kHmma, "HMMA");
  o.in.mma_work = m_n_k;
  o.in.mma_bits = static_cast<uint8_t>(bits);
  return o;
}

Op hgmma(uint32_t n) {
  Op o = make(OpClass::kGmma, "HGMMA.64x" + std::to_string(n) + "x16");
  o.in.mma_work = 64 * n * 16;
  o.in.mma_bits = 16;
  return o;
}

namespace {

Op memory(OpClass op, const std::string& text, MemSpace space, int dst, int bytes) {
  Op o = make(op, text);
  if (dst >= 0) {
    o.dst(RegFile::kGpr, dst, std::max(1, bytes / 4));
  }
  o.in.space = space;
  o.in.mem_refs = 1;
  o.width(bytes).at(0, bytes);
  return o;
}

}  // namespace

Op ldg(int dst, int bytes) { return memory(OpClass::kLdGlobal, "LDG.E", MemSpace::kGlobal, dst, bytes); }
Op stg(int bytes) { return memory(OpClass::kStGlobal, "STG.E", MemSpace::kGlobal, -1, bytes); }
Op red(int bytes) { return memory(OpClass::kRedGlobal, "RED.E.ADD", MemSpace::kGlobal, -1, bytes); }
Op atom(int dst, int bytes) {
  return memory(OpClass::kAtomGlobal, "ATOMG.E.ADD", MemSpace::kGlobal, dst, bytes);
}
Op lds(int dst, int bytes) { return memory(OpClass::kLdShared, "LDS", MemSpace::kShared, dst, bytes); }
Op sts(int bytes) { return memory(OpClass::kStShared, "STS", MemSpace::kShared, -1, bytes); }
Op atoms(int dst, int bytes) {
  return memory(OpClass::kAtomShared, "ATOMS.ADD", MemSpace::kShared, dst, bytes);
}
Op ldl(int dst, int bytes) { return memory(OpClass::kLdLocal, "LDL", MemSpace::kLocal, dst, bytes).at(0, 0); }
Op stl(int bytes) { return memory(OpClass::kStLocal, "STL", MemSpace::kLocal, -1, bytes).at(0, 0); }

Op ldsm(int dst, int matrices) {
  Op o = memory(OpClass::kLdMatrix, "LDSM", MemSpace::kShared, dst, 16);
  o.in.matrices = static_cast<uint8_t>(matrices);
  o.in.dst[0].count = static_cast<uint8_t>(matrices);
  return o;
}

Op ldgsts(int bytes) {
  Op o = memory(OpClass::kLdgsts, "LDGSTS.E", MemSpace::kGlobal, -1, bytes);
  o.in.mem_refs = 2;
  return o;
}

Op ldgdepbar(int barrier) { return make(OpClass::kLdgdepbar, "LDGDEPBAR").writes_barrier(barrier); }

Op depbar(int barrier, int count) {
  Op o = make(OpClass::kDepbar, "DEPBAR.LE");
  o.in.depbar_sb = static_cast<uint8_t>(barrier);
  o.in.depbar_count = static_cast<uint8_t>(count);
  return o;
}

Op bar(int id, int threads) {
  Op o = make(OpClass::kBarrier, "BAR.SYNC");
  o.in.barrier_id = static_cast<uint8_t>(id);
  o.in.barrier_threads = static_cast<uint16_t>(threads);
  if (!threads) {
    o.flags(isa::kFlagBarrierAllThreads);
  }
  return o;
}

Op bar_arrive(int id, int threads) {
  Op o = bar(id, threads).flags(isa::kFlagBarrierArrive);
  o.text = "BAR.ARV";
  return o;
}

Op membar(int flags) { return make(OpClass::kMembar, "MEMBAR").flags(flags); }

Kernel::Kernel() {
  image_.name = "test_kernel";
  image_.compute_capability = 90;
  image_.has_control = true;
  image_.shape.block = {32, 1, 1};
  image_.shape.registers_per_thread = 32;
}

uint32_t Kernel::add(const Op& op) {
  auto index = static_cast<uint32_t>(image_.code.size());
  isa::Instr in = op.in;
  in.pc = 16 * index;
  in.flags |= isa::kFlagHasControl;
  in.opcode = static_cast<uint16_t>(index);
  image_.opcodes.push_back(op.text);
  image_.code.push_back(in);
  addresses_.push_back(op.addresses);
  return index;
}

void Kernel::add(const Op& op, int times) {
  for (int i = 0; i < times; ++i) {
    add(op);
  }
}

Kernel& Kernel::order(uint32_t warp, std::initializer_list<uint32_t> indices) {
  std::vector<Step> steps;
  for (uint32_t i : indices) {
    steps.push_back({i});
  }
  return stream(warp, steps);
}

Kernel& Kernel::stream_of_block(uint32_t block, uint32_t warp, std::vector<Step> steps) {
  block_streams_[{block, warp}] = std::move(steps);
  return *this;
}

void Kernel::write(isa::WarpTrace& out, uint32_t block, uint32_t warp, const std::vector<Step>& steps) const {
  out.clear();
  out.warp = warp;
  for (const Step& s : steps) {
    if (!out.runs.empty() && out.runs.back().mask == s.mask &&
        out.runs.back().first + out.runs.back().count == s.index) {
      ++out.runs.back().count;
    } else {
      out.runs.push_back({s.index, 1, s.mask});
    }
    ++out.instructions;
    if (s.mask == 0) {
      continue;
    }
    const Addresses& a = addresses_[s.index];
    uint64_t offset = s.offset + warp * a.per_warp + block * a.per_block;
    for (int i = 0; i < image_.code[s.index].mem_refs; ++i) {
      isa::MemRef r;
      if (!a.values.empty()) {
        r.kind = isa::MemRef::Kind::kValues;
        r.list = static_cast<uint32_t>(out.values.size());
        r.count = static_cast<uint8_t>(a.values.size());
        out.values.insert(out.values.end(), a.values.begin(), a.values.end());
      } else if (!a.list.empty()) {
        r.kind = isa::MemRef::Kind::kFull;
        r.list = static_cast<uint32_t>(out.values.size());
        for (int lane = 0; lane < 32; ++lane) {
          if (s.mask >> lane & 1) {
            out.values.push_back(a.list[lane] + offset);
          }
        }
      } else if (a.recorded) {
        r.kind = isa::MemRef::Kind::kStride;
        r.base = a.base + offset;
        r.stride = a.stride;
      }
      if (!a.data.empty()) {
        r.count = static_cast<uint8_t>(std::popcount(s.mask));
        r.list = r.kind == isa::MemRef::Kind::kFull ? r.list : static_cast<uint32_t>(out.values.size());
        out.values.insert(out.values.end(), r.count, a.data.front());
      }
      out.refs.push_back(r);
    }
  }
}

bool Kernel::next(isa::BlockTrace& out) {
  if (next_block_ == image_.shape.grid.count()) {
    return false;
  }
  uint32_t block = next_block_++;
  out.index = {block, 0, 0};
  out.linear = block;
  out.warps.resize(image_.shape.warps());
  std::vector<Step> all;
  for (uint32_t i = 0; i < image_.code.size(); ++i) {
    all.push_back({i});
  }
  for (uint32_t w = 0; w < out.warps.size(); ++w) {
    auto mine = block_streams_.find({block, w});
    auto shared = streams_.find(w);
    write(out.warps[w], block, w,
          mine != block_streams_.end() ? mine->second
          : shared != streams_.end()   ? shared->second
                                       : all);
  }
  return true;
}

namespace {

class Recorder : public sm::IssueObserver {
 public:
  explicit Recorder(std::vector<Issue>& out) : out_(out) {}
  void issued(uint32_t sm, uint32_t subcore, uint32_t warp, uint32_t pc, Cycle cycle) override {
    std::lock_guard lock(mutex_);
    out_.push_back({sm, subcore, warp, pc / 16, cycle});
  }

 private:
  std::vector<Issue>& out_;
  std::mutex mutex_;
};

}  // namespace

Outcome run(device::Gpu& gpu, Kernel& kernel, device::RunOptions options) {
  Outcome o;
  Recorder recorder(o.issues);
  options.observer = &recorder;
  kernel.rewind();
  o.result = gpu.run(kernel, options);
  std::sort(o.issues.begin(), o.issues.end(), [](const Issue& a, const Issue& b) {
    return std::tie(a.cycle, a.sm, a.subcore) < std::tie(b.cycle, b.sm, b.subcore);
  });
  o.first = o.issues.empty() ? 0 : o.issues.front().cycle;
  return o;
}

Outcome run(const spec::GpuConfig& config, Kernel& kernel, device::RunOptions options) {
  device::Gpu gpu(config);
  return run(gpu, kernel, std::move(options));
}

Cycles Outcome::cycles(uint32_t warp, uint32_t sm) const {
  Cycles out;
  for (const Issue& i : issues) {
    if (i.warp == warp && i.sm == sm) {
      out.push_back(i.cycle - first);
    }
  }
  return out;
}

Cycles Outcome::cycles_of(uint32_t index) const {
  Cycles out;
  for (const Issue& i : issues) {
    if (i.index == index) {
      out.push_back(i.cycle - first);
    }
  }
  return out;
}

std::vector<uint32_t> Outcome::sequence(uint32_t subcore, uint32_t sm) const {
  std::vector<uint32_t> out;
  for (const Issue& i : issues) {
    if (i.subcore == subcore && i.sm == sm) {
      out.push_back(i.warp);
    }
  }
  return out;
}

uint64_t Outcome::stall_sum() const {
  uint64_t sum = 0;
  for (uint64_t s : result.totals.stall) {
    sum += s;
  }
  return sum;
}

}  // namespace heddle::simtest
