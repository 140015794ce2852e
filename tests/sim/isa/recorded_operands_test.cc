// From the references of a recorded instruction to its operands.
#include "sim/isa/recorded_operands.h"

#include <catch2/catch.hpp>

#include "sim/isa/recorded_program.h"
#include "tests/sim/support/tensor_ops.h"

namespace heddle::simtest {
namespace {

using isa::MbarrierOp;
using isa::MemRef;
using Kind = MbarrierOp::Kind;

constexpr uint64_t kBarrier = 0x40, kBlock = isa::kSharedOffset + 1;  // from one block's window to the next

// What one lane of block 1 hands out, with that operand and address.
struct Read {
  isa::RecordedOperands operands;
  isa::WarpTrace trace;
  isa::Operands out;
  isa::KernelImage image;

  Read(const isa::Instr& in, uint64_t address, uint64_t operand, uint32_t cluster = 1) {
    image.shape.cluster = {cluster, 1, 1};
    trace.values = {operand};
    MemRef r;
    r.kind = MemRef::Kind::kStride;
    r.base = address;
    r.count = 1;
    operands.read(image, in, 1, 1, nullptr, trace, &r, out);
  }
};

MbarrierOp of_syncs(isa::SyncsForm form, uint64_t operand) {
  return Read(syncs("SYNCS", form, kBarrier).in, kBarrier, operand).out.mbarrier;
}

TEST_CASE("only of a wait does the lowest bit of the operand say that it was in vain") {
  constexpr Form kWaits{Form::Kind::kWait};
  for (const bool parity : {false, true}) {
    CHECK(of_syncs(kWaits, isa::wait_operand(parity, true)).kind == Kind::kOther);
    const MbarrierOp waits = of_syncs(kWaits, isa::wait_operand(parity, false));
    CHECK(waits.kind == Kind::kWait);
    CHECK(waits.parity == parity);
  }
  for (const uint64_t operand : {5, 6}) {
    CAPTURE(operand);
    const MbarrierOp arrives = of_syncs({Form::Kind::kArrive, Form::Bytes::kNone, 0, true}, operand);
    CHECK(arrives.kind == Kind::kArrive);
    CHECK(arrives.count == operand);
    CHECK(arrives.address == kBarrier);
    CHECK(of_syncs({Form::Kind::kArrive, Form::Bytes::kExpect, 1}, operand).kind == Kind::kArriveExpect);
    CHECK(of_syncs({Form::Kind::kArrive, Form::Bytes::kExpect, 1}, operand).bytes == operand);
    CHECK(of_syncs({Form::Kind::kArrive, Form::Bytes::kExpect, 0}, operand).kind == Kind::kExpect);
    CHECK(of_syncs({Form::Kind::kArrive, Form::Bytes::kComplete, 0}, operand).kind == Kind::kComplete);
    CHECK(of_syncs({Form::Kind::kInvalidate}, operand).kind == Kind::kInvalidate);
  }
}

TEST_CASE("STAS and REDAS tell a barrier object, which their data operand names; nothing else does") {
  const Op plain[] = {ldg(1), stg(), lds(1), sts(), atom(1), red()};
  for (Op op : plain) {
    CAPTURE(op.text);
    CHECK(Read(op.in, 0x100, kBarrier).out.copy_to.kind == isa::LaneAddresses::Kind::kNone);
    op.flags(isa::kFlagAsyncStore);
    const Read tells(op.in, 0x100, kBarrier);
    CHECK(tells.out.copy_to.kind == isa::LaneAddresses::Kind::kStride);
    CHECK(tells.out.copy_to.base == kBarrier);
    CHECK(tells.out.address.base == 0x100);
  }
}

TEST_CASE("a commit arrives at the objects of all blocks that its operand names") {
  isa::Instr in;
  in.op = OpClass::kTensorCommit;
  in.mem_refs = 1;
  const Read several(in, kBlock + kBarrier, 0b1011, 4);
  std::vector<MbarrierOp> all(several.out.more_mbarriers.begin(), several.out.more_mbarriers.end());
  all.push_back(several.out.mbarrier);
  REQUIRE(all.size() == 3);
  const uint32_t ranks[] = {0, 1, 3};
  for (size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(all[i].kind == Kind::kArrive);
    CHECK(all[i].address == kBarrier);
    CHECK(all[i].rank == ranks[i]);
    CHECK(all[i].remote == (ranks[i] != 1));  // its own block is number 1
  }
  // It names none: the address says which.
  const Read one(in, 2 * kBlock + kBarrier, 0, 4);
  CHECK(one.out.more_mbarriers.empty());
  CHECK(one.out.mbarrier.rank == 2);
  CHECK(one.out.mbarrier.remote);
  CHECK_FALSE(Read(in, kBlock + kBarrier, 0, 4).out.mbarrier.remote);
  CHECK_FALSE(Read(in, kBlock + kBarrier, 0b10, 1).out.mbarrier.remote);
}

// Whether a copy of three dimensions finds that map, which the recording has by its place, or by its address.
bool finds(const isa::TensorMap& map, const isa::AsyncOp& op, bool by_place) {
  isa::KernelImage image;
  image.shape.dynamic_shared_bytes = 1 << 16;
  image.tensor_maps.push_back({0x2000, isa::encode(map), false});
  isa::Instr in;
  in.async = op;
  std::vector<uint64_t> values(isa::kRecordedRegisters);
  values[7] = 0x2000;
  if (by_place) {
    values.push_back(0);
  }
  isa::RecordedCopy copy;
  CHECK(isa::read_copy(image, in, values, 1 << 16, copy) == "");
  return copy.known;
}

TEST_CASE("a map of the other mode, or of another rank, is not the copy's") {
  for (const bool im2col_map : {false, true}) {
    isa::TensorMap m;
    m.rank = 3;
    m.element_bytes = 4;
    m.im2col = im2col_map;
    m.size = {8, 8, 8};
    m.stride = {4, 32, 256};
    m.box = {8, 2, 2};
    m.step = {1, 1, 1};
    m.channels = 8;
    m.pixels = 4;
    for (const bool by_place : {false, true}) {
      for (const bool im2col : {false, true}) {
        for (const uint8_t dimensions : {0, 2, 3, 4}) {
          CAPTURE(im2col_map, by_place, im2col, dimensions);
          isa::AsyncOp op;
          op.kind = isa::AsyncKind::kTensorLoad;
          op.dimensions = dimensions;  // 0: the instruction does not say
          op.im2col = im2col;
          CHECK(finds(m, op, by_place) == (im2col == im2col_map && (dimensions == 0 || dimensions == 3)));
        }
      }
    }
  }
}

// Eight warps that meet in groups of so many threads, at a barrier whose number is in a register.
struct Groups {
  Kernel kernel;
  explicit Groups(int threads) {
    Op meet = bar(0, threads);
    meet.in.barrier_id = isa::kBarrierInRegister;
    kernel.add(meet);
    kernel.warps(8);
  }
  bool in_groups() {
    isa::BlockTrace block;
    kernel.rewind();
    REQUIRE(kernel.next(block));
    return isa::RecordedBarriers(kernel.image()).in_groups(block);
  }
};

TEST_CASE("groups of warps meet at the highest of the sixteen numbers, the first group at the last one") {
  for (const int threads : {64, 128}) {
    Groups g(threads);
    REQUIRE(g.in_groups());
    const isa::RecordedBarriers barriers(g.kernel.image());
    uint32_t by_order = 0;
    for (uint32_t warp = 0; warp < 8; ++warp) {
      const isa::BarrierOp op = barriers.operands(0, warp, true, by_order);
      CHECK(op.number == 15 - warp / (static_cast<uint32_t>(threads) / 32));
      CHECK(op.threads == static_cast<uint32_t>(threads));
    }
    CHECK(by_order == 0);
  }
}

TEST_CASE("a group is of whole warps, and there are at least two and at most seven") {
  CHECK_FALSE(Groups(16).in_groups());
  CHECK_FALSE(Groups(48).in_groups());
  CHECK_FALSE(Groups(80).in_groups());
  CHECK_FALSE(Groups(256).in_groups());  // one
  CHECK_FALSE(Groups(32).in_groups());   // eight
  Groups seven(32);
  seven.kernel.warps(7);
  CHECK(seven.in_groups());
}

}  // namespace
}  // namespace heddle::simtest
