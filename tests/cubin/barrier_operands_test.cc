// Numbers and thread counts of named barriers that a recording does not have, from its machine code.
#include "frontends/cubin/execute/barrier_operands.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "frontends/accelsim/static_code.h"
#include "frontends/sass/side_file.h"

namespace heddle::cubin {
namespace {

// nvcc 13.0, sm_90, of `int g = threadIdx.x / 64; bar.sync g + 1, 64; p[threadIdx.x] = g;` in CUDA
const std::string kKnown = R"(# function k base 0
0000 00000a00ff017b82 000fe20000000800 LDC R1, c[0x0][0x28] ;
0010 0000000000077919 000e2e0000002100 S2R R7, SR_TID.X ;
0020 00008400ff027b82 000e620000000a00 LDC.64 R2, c[0x0][0x210] ;
0030 0000820000047ab9 000fe20000000a00 ULDC.64 UR4, c[0x0][0x208] ;
0040 00000006ff057819 001fe20000011607 SHF.R.U32.HI R5, RZ, 0x6, R7 ;
0050 0000000407027825 002fc600078e0002 IMAD.WIDE.U32 R2, R7, 0x4, R2 ;
0060 0000000105007810 000fca0007ffe0ff IADD3 R0, R5, 0x1, RZ ;
0070 000100000000751d 000fec0000010000 BAR.SYNC.DEFER_BLOCKING R0, 0x40 ;
0080 0000000502007986 000fe2000c101904 STG.E desc[UR4][R2.64], R5 ;
0090 000000000000794d 000fea0003800000 EXIT ;
)";
// The same with `bar.sync g + 1, blockDim.x / 2`.
const std::string kCounted = R"(# function k base 0
0000 00000a00ff017b82 000fe20000000800 LDC R1, c[0x0][0x28] ;
0010 0000000000097919 000e2e0000002100 S2R R9, SR_TID.X ;
0020 00000000ff007b82 000e620000000800 LDC R0, c[0x0][RZ] ;
0030 0000820000047ab9 000fce0000000a00 ULDC.64 UR4, c[0x0][0x208] ;
0040 00008400ff027b82 000ea20000000a00 LDC.64 R2, c[0x0][0x210] ;
0050 0000000000007211 002fc800078f08ff LEA.HI R0, R0, R0, RZ, 0x1 ;
0060 00000001ff077819 000fe40000011400 SHF.R.S32.HI R7, RZ, 0x1, R0 ;
0070 00000006ff057819 001fe20000011609 SHF.R.U32.HI R5, RZ, 0x6, R9 ;
0080 0000000409027825 004fc800078e0002 IMAD.WIDE.U32 R2, R9, 0x4, R2 ;
0090 0000000105007836 000fe20000000000 VIADD R0, R5, 0x1 ;
00a0 0000001007077819 000fc800000006ff SHF.L.U32 R7, R7, 0x10, RZ ;
00b0 0000000f07077812 000fca00078ef800 LOP3.LUT R7, R7, 0xf, R0, 0xf8, !PT ;
00c0 000000070000731d 0001e40000010000 BAR.SYNC.DEFER_BLOCKING R7, R7 ;
00d0 000000000000794d 000fea0003800000 EXIT ;
)";
// `bar.sync p[0], 64`
const std::string kLoaded = R"(# function k base 0
0000 00000a00ff017b82 000ff00000000800 LDC R1, c[0x0][0x28] ;
0010 00008400ff027b82 000e220000000a00 LDC.64 R2, c[0x0][0x210] ;
0020 0000820000047ab9 000fe20000000a00 ULDC.64 UR4, c[0x0][0x208] ;
0030 0000000000077919 000e6c0000002100 S2R R7, SR_TID.X ;
0040 00008400ff047b82 000e620000000a00 LDC.64 R4, c[0x0][0x210] ;
0050 0000000402037981 001ea2000c1e1900 LDG.E R3, desc[UR4][R2.64] ;
0060 0000000407047825 002fcc00078e0004 IMAD.WIDE.U32 R4, R7, 0x4, R4 ;
0070 000100030000751d 004fec0000010000 BAR.SYNC.DEFER_BLOCKING R3, 0x40 ;
0080 000000000000794d 000fea0003800000 EXIT ;
)";

// One block in which each warp executes the code from its first instruction to its last.
class Straight final : public isa::BlockSource {
 public:
  Straight(const std::string& sass, uint32_t threads) {
    image_.name = std::string("k");
    image_.compute_capability = 90;
    image_.shape.grid = {1, 1, 1};
    image_.shape.block = {threads, 1, 1};
    image_.shape.registers_per_thread = 16;
    image_.parameter_base = 0x210;
    accelsim::add_functions(sass::read_side_text(sass, "k.sass"), "k.sass", image_);
  }
  isa::KernelImage& mutable_image() { return image_; }
  const isa::KernelImage& image() const override { return image_; }
  bool next(isa::BlockTrace& out) override {
    out.warps.resize(image_.shape.warps());
    for (uint32_t w = 0; w < out.warps.size(); ++w) {
      out.warps[w].clear();
      out.warps[w].warp = w;
      out.warps[w].runs = {{0, static_cast<uint32_t>(image_.code.size()), 0xffffffff}};
    }
    return !std::exchange(given_, true);
  }

 private:
  isa::KernelImage image_;
  bool given_ = false;
};

using Told = std::vector<std::pair<uint32_t, uint32_t>>;  // number and threads, warp after warp

Told told(std::unique_ptr<isa::BlockSource> source) {
  source = with_barrier_operands(std::move(source));
  isa::BlockTrace block;
  REQUIRE(source->next(block));
  Told out;
  for (const isa::WarpTrace& w : block.warps) {
    for (const isa::BarrierOp& b : w.barriers) {
      out.emplace_back(b.number, b.threads);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a barrier's number that follows from the thread's index is found") {
  CHECK(told(std::make_unique<Straight>(kKnown, 128)) == Told{{1, 64}, {1, 64}, {2, 64}, {2, 64}});
}

TEST_CASE("so is a count of threads that follows from the block's size") {
  CHECK(told(std::make_unique<Straight>(kCounted, 128)) == Told{{1, 64}, {1, 64}, {2, 64}, {2, 64}});
  CHECK(told(std::make_unique<Straight>(kCounted, 192)) ==
        Told{{1, 96}, {1, 96}, {2, 96}, {2, 96}, {3, 96}, {3, 96}});
}

TEST_CASE("a number from memory is not known, and nothing of the block is told") {
  CHECK(told(std::make_unique<Straight>(kLoaded, 128)).empty());
}

TEST_CASE("without encodings the source stays what it is") {
  auto source = std::make_unique<Straight>(kKnown, 64);
  source->mutable_image().encodings.clear();
  const isa::BlockSource* const before = source.get();
  CHECK(with_barrier_operands(std::move(source)).get() == before);
}

}  // namespace heddle::cubin
