// Machine code that is executed as its instructions issue is saved and resumed: loads, stores, atomics and
// copies under way, lanes that parted, locks, flags.
#include <catch2/catch.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "frontends/cubin/execute/timed_source.h"
#include "frontends/cubin/fatbin/fatbin.h"
#include "sim/device/gpu.h"
#include "tests/cubin/object_case.h"
#include "tests/sim/support/saved_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::cubin::test {
namespace {

// A kernel of at_issue.fatbin, whose arguments are buffers and then a number.
struct Kernel {
  const char* name;
  uint32_t blocks, threads;
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<uint64_t> numbers{};
};

class Launched final : public simtest::SavedCase {
 public:
  explicit Launched(const Kernel& kernel)
      : program_(object_of("at_issue.fatbin", images_of("at_issue.fatbin", data("at_issue.fatbin")).at(0)),
                 memory_) {
    const Function& k = program_.kernel(kernel.name);
    exec::Launch l = program_.launch(k);
    l.grid = {kernel.blocks, 1, 1};
    l.block = {kernel.threads, 1, 1};
    size_t i = 0;
    for (const auto& b : kernel.buffers) {
      buffers_.push_back(memory_.allocate(b.size()));
      bytes_.push_back(b.size());
      memory_.write(buffers_.back(), b);
      set_parameter(program_.object(), k, i++, buffers_.back(), l);
    }
    for (const uint64_t n : kernel.numbers) {
      set_parameter(program_.object(), k, i++, n, l);
    }
    source_ = std::make_unique<TimedSource>(program_, k, l);
  }
  isa::BlockSource& source() override { return *source_; }
  std::vector<uint8_t> outcome() const override {
    std::vector<uint8_t> out;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const size_t at = out.size();
      out.resize(at + bytes_[i]);
      memory_.read(buffers_[i], std::span(out).subspan(at));
    }
    return out;
  }

 private:
  exec::Memory memory_;
  Program program_;
  std::vector<uint64_t> buffers_;
  std::vector<size_t> bytes_;
  std::unique_ptr<TimedSource> source_;
};

std::vector<uint8_t> noise(size_t bytes) {
  std::vector<uint8_t> out(bytes);
  uint32_t x = 12345;
  for (uint8_t& b : out) {
    x = x * 1664525 + 1013904223;
    b = static_cast<uint8_t>(x >> 24);
  }
  return out;
}
std::vector<uint8_t> zeros(size_t bytes) { return std::vector<uint8_t>(bytes); }

simtest::MakeCase made(const Kernel& k) {
  return [k] { return std::make_unique<Launched>(k); };
}

}  // namespace

TEST_CASE("saved: accesses of global memory under way, of all widths, and atomics") {
  simtest::check_saved(made({"widths", 3, 96, {zeros(288 * 31 + 64), noise(288 * 16)}}),
                       simtest::test_gpu(4));
  simtest::check_saved(made({"sums", 5, 64, {zeros(64), zeros(320 * 4)}}), simtest::two_partition_gpu());
}

TEST_CASE("saved: lanes that parted, shared memory and barriers of blocks that follow each other") {
  simtest::check_saved(made({"parted", 6, 256, {zeros(6 * 1024), noise(6 * 1024)}}), simtest::test_gpu(2));
  simtest::check_saved(made({"rows", 3, 256, {zeros(64), noise(3 * 2048)}, {512}}), simtest::test_gpu(1));
  simtest::check_saved(made({"half_way", 1, 64, {zeros(64)}}), simtest::test_gpu(1), 8);
}

TEST_CASE("saved: copies to shared memory, and arrivals that wait for them") {
  simtest::check_saved(made({"copies", 4, 64, {zeros(4096), noise(4096)}}), simtest::test_gpu(4));
}

TEST_CASE("saved: a flag, a lock, a race, clocks") {
  simtest::check_saved(made({"flag", 4, 64, {zeros(8192)}}), simtest::test_gpu(4), 12);
  simtest::check_saved(made({"lock", 6, 32, {zeros(256)}, {3}}), simtest::two_partition_gpu(), 12);
  simtest::check_saved(made({"race", 4, 64, {zeros(4096)}, {6}}), simtest::test_gpu(4), 20);
  simtest::check_saved(made({"clocks", 1, 32, {zeros(512)}, {0x3f000000}}), simtest::test_gpu(1));
}

TEST_CASE("saved: who waits in vain is found out when it would have been") {
  const simtest::MakeCase make = made({"never", 2, 32, {zeros(64)}});
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
  const Kernel k{"sums", 2, 64, {zeros(64), zeros(1 << 20)}};
  Launched first(k);
  device::Gpu gpu(simtest::test_gpu(2));
  gpu.begin(first.source());
  gpu.advance(500);
  const std::vector<uint8_t> state = gpu.save();
  CHECK(state.size() < 1 << 18);  // what is zero takes no room
  Kernel more = k;
  more.buffers[1].resize(1 << 19);
  Launched second(more);
  device::Gpu other(simtest::test_gpu(2));
  CHECK_THAT(error_of([&] { other.resume(second.source(), {}, state); }),
             Catch::Contains("1048576 bytes of an allocation, not 524288 as this machine has"));
}

}  // namespace heddle::cubin::test
