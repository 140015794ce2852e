// Any bytes as the operand records of a small kernel: either it is refused by an Error that names the file,
// or it is simulated to its end, in bounded time.
#include <cstdint>
#include <string_view>

#include "sim/base/error.h"
#include "sim/device/gpu.h"
#include "tests/accelsim/check_blocks.h"
#include "tests/accelsim/trace_text.h"
#include "tests/sim/support/test_config.h"

namespace {

using namespace heddle;
using accelsim::test::require;

// All instructions that have records; the second warp stops where it waits for the copies.
const std::string kSide = accelsim::test::side({
    "SYNCS.EXCH.64 URZ, [UR8], UR4",
    "UBLKCP.S.G [UR8], [UR10], UR5",
    "UTMALDG.2D [UR8], [UR4]",
    "LDGSTS.E.BYPASS.128 [R3], desc[UR4][R4.64]",
    "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R2",
    "HGMMA.64x64x16.F32 R8, gdesc[UR8], R8, !UPT",
    "UBLKCP.G.S [UR10], [UR8], UR5",
    "EXIT",
});

std::string make_trace() {
  const std::vector<std::string> all = {
      "0000 00000001 0 SYNCS.EXCH.64 0 0",
      "0010 ffffffff 0 UBLKCP.S.G 0 0",
      "0010 ffffffff 0 UBLKCP.S.G 0 0",
      "0020 ffffffff 0 UTMALDG.2D 0 0",
      "0030 0000000f 0 LDGSTS.E.BYPASS.128 2 R3 R4 16 1 0x7f0000000000 16",
      "0030 00000000 0 LDGSTS.E.BYPASS.128 2 R3 R4 16 0",
      "0040 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 0 0",
      "0050 ffffffff 1 R8 HGMMA.64x64x16.F32 1 R8 0",
      "0060 ffffffff 0 UBLKCP.G.S 0 0",
      "0070 ffffffff 0 EXIT 0 0",
  };
  accelsim::test::HeaderOptions two;
  two.grid = "(2,1,1)";
  two.block = "(64,1,1)";
  const std::string warps =
      accelsim::test::warp(0, all) + accelsim::test::warp(1, {all.begin(), all.begin() + 7});
  return accelsim::test::header(two) + accelsim::test::block("0,0,0", warps) +
         accelsim::test::block("1,0,0", warps);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string trace = make_trace();
  static device::Gpu gpu(simtest::test_gpu());
  constexpr uint64_t kInstructions = 34;  // two blocks of warps with 10 and 7
  constexpr Cycle kLongest = 1'000'000;   // copies of all of shared memory take some thousand
  const accelsim::TraceInMemory t{"f", trace, kSide,
                                  std::string_view(reinterpret_cast<const char*>(data), size)};
  try {
    accelsim::test::check_source(*accelsim::open_trace(t));
    const auto kernel = accelsim::open_trace(t);
    gpu.begin(*kernel);
    require(!gpu.advance(kLongest));
    const stats::KernelResult r = gpu.finish();
    require(r.totals[stats::Counter::kInstExecuted] == kInstructions);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f.extra:") && message.find('\n') == std::string_view::npos);
  }
  return 0;
}
