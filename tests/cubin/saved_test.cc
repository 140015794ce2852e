// Machine code that is executed as its instructions issue is saved and resumed: loads, stores, atomics and
// copies under way, lanes that parted, locks, flags.
#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/device/gpu.h"
#include "tests/cubin/at_issue_case.h"
#include "tests/sim/support/saved_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::cubin::test {
namespace {

class Launched final : public simtest::SavedCase {
 public:
  explicit Launched(const AtIssue& a) : launch_(a), source_(launch_.source()) {}
  isa::BlockSource& source() override { return source_; }
  std::vector<uint8_t> outcome() const override { return launch_.bytes(SIZE_MAX); }

 private:
  AtIssueLaunch launch_;
  TimedSource source_;
};

AtIssue kernel(const char* name, uint32_t blocks, uint32_t threads, std::vector<std::vector<uint8_t>> buffers,
               std::vector<uint64_t> numbers = {}) {
  return {name, {blocks, 1, 1}, {threads, 1, 1}, std::move(buffers), std::move(numbers)};
}

simtest::MakeCase made(const AtIssue& k) {
  return [k] { return std::make_unique<Launched>(k); };
}

}  // namespace

TEST_CASE("saved: accesses of global memory under way, of all widths, and atomics") {
  simtest::check_saved(made(kernel("widths", 3, 96, {zeros(288 * 31 + 64), noise(288 * 16)})),
                       simtest::test_gpu(4));
  simtest::check_saved(made(kernel("sums", 5, 64, {zeros(64), zeros(320 * 4)})),
                       simtest::two_partition_gpu());
}

TEST_CASE("saved: lanes that parted, shared memory and barriers of blocks that follow each other") {
  simtest::check_saved(made(kernel("parted", 6, 256, {zeros(6 * 1024), noise(6 * 1024)})),
                       simtest::test_gpu(2));
  simtest::check_saved(made(kernel("rows", 3, 256, {zeros(64), noise(3 * 2048)}, {512})),
                       simtest::test_gpu(1));
  simtest::check_saved(made(kernel("half_way", 1, 64, {zeros(64)})), simtest::test_gpu(1), 8);
}

TEST_CASE("saved: copies to shared memory, and arrivals that wait for them") {
  simtest::check_saved(made(kernel("copies", 4, 64, {zeros(4096), noise(4096)})), simtest::test_gpu(4));
}

TEST_CASE("saved: a flag, a lock, a race, clocks") {
  simtest::check_saved(made(kernel("flag", 4, 64, {zeros(8192)})), simtest::test_gpu(4), 12);
  simtest::check_saved(made(kernel("lock", 6, 32, {zeros(256)}, {3})), simtest::two_partition_gpu(), 12);
  simtest::check_saved(made(kernel("race", 4, 64, {zeros(4096)}, {6})), simtest::test_gpu(4), 20);
  simtest::check_saved(made(kernel("clocks", 1, 32, {zeros(512)}, {0x3f000000})), simtest::test_gpu(1));
}

TEST_CASE("saved: who waits in vain is found out when it would have been") {
  const simtest::MakeCase make = made(kernel("never", 2, 32, {zeros(64)}));
  const auto ends = [](device::Gpu& gpu) { return error_of([&] { gpu.advance(kNever); }); };
  const auto first = make();
  device::Gpu gpu(simtest::test_gpu(2));
  gpu.begin(first->source());
  gpu.advance(104'000);
  const std::vector<uint8_t> state = gpu.save();
  const std::string text = ends(gpu);
  CHECK_THAT(text, Catch::Contains("live lock"));
  const auto second = make();
  device::Gpu other(simtest::test_gpu(2));
  other.resume(second->source(), {}, state);
  CHECK(ends(other) == text);
}

TEST_CASE("saved: a launch with other memory is refused, and what was saved is not more than there is") {
  const AtIssue k = kernel("sums", 2, 64, {zeros(64), zeros(1 << 20)});
  Launched first(k);
  device::Gpu gpu(simtest::test_gpu(2));
  gpu.begin(first.source());
  gpu.advance(500);
  const std::vector<uint8_t> state = gpu.save();
  CHECK(state.size() < 1 << 18);  // what is zero takes no room
  AtIssue more = k;
  more.buffers[1].resize(1 << 19);
  Launched second(more);
  device::Gpu other(simtest::test_gpu(2));
  CHECK_THAT(error_of([&] { other.resume(second.source(), {}, state); }),
             Catch::Contains("1048576 bytes of an allocation, not 524288 as this machine has"));
}

}  // namespace heddle::cubin::test
