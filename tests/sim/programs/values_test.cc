// What loads, stores and atomics of programs that compute do to memory.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "sim/device/detailed_engine.h"
#include "sim/device/gpu.h"
#include "sim/memory/image.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/live_program.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using Kind = isa::AtomicOp::Kind;
using Type = isa::AtomicOp::Type;

constexpr uint64_t kBase = 0x100000;
constexpr uint32_t kWarps = 8;

void run(LiveKernel& k, memory::Image& image, int threads = 1, uint64_t quantum = 0) {
  device::RunOptions o;
  o.image = &image;
  o.threads = threads;
  o.quantum = quantum;
  k.rewind();
  device::Gpu(test_gpu(2)).run(k, o);
}

TEST_CASE("lanes of a store and of a load, wherever their addresses are") {
  memory::Image image;
  image.map(kBase, 0x10000);
  LaneWords seen{};
  LiveKernel k([&](LiveWarp& w) -> LiveTask {
    LiveOp op{.code = LiveOp::kStore, .mask = 0xf0ff00ff};
    for (uint32_t i = 0; i < 32; ++i) {
      op.address[i] = kBase + 388 * i;
      op.value[i] = 1000 + i;
    }
    co_await w.lanes(op);
    op.code = LiveOp::kLoad;
    seen = co_await w.lanes(op);
  });
  run(k, image);
  for (uint32_t i = 0; i < 32; ++i) {
    const bool on = 0xf0ff00ff >> i & 1;
    CHECK(image.get<uint32_t>(kBase + 388 * i) == (on ? 1000 + i : 0));
    CHECK((!on || seen[i] == 1000 + i));
  }
}

TEST_CASE("where lanes meet in a word, the last one's value stays, and atomics go one after the other") {
  memory::Image image;
  image.map(kBase, 0x1000);
  LaneWords before{};
  LiveKernel k([&](LiveWarp& w) -> LiveTask {
    LiveOp op{.code = LiveOp::kStore, .mask = ~0u};
    for (uint32_t i = 0; i < 32; ++i) {
      op.address[i] = kBase;
      op.value[i] = i;
    }
    co_await w.lanes(op);
    op.code = LiveOp::kAtomic;
    op.atomic = {Kind::kAdd, Type::kU32};
    before = co_await w.lanes(op);
  });
  run(k, image);
  uint32_t sum = 31;
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(before[i] == sum);
    sum += i;
  }
  CHECK(image.get<uint32_t>(kBase) == sum);
}

// A recording that can be had as a program that decides its values (BlockSource::program).
class Decided final : public isa::BlockSource {
 public:
  explicit Decided(const LiveBlock::Body& body) : body_(body), recorded_(body) { recorded_.blocks(3); }
  const isa::KernelImage& image() const override { return recorded_.image(); }
  bool next(isa::BlockTrace&) override { return false; }
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override {
    on = device;
    auto k = std::make_unique<LiveKernel>(body_);
    k->blocks(3);
    return k;
  }
  isa::Device on;

 private:
  LiveBlock::Body body_;
  LiveKernel recorded_;
};

TEST_CASE("a recording that can decide its values while it is simulated is run as that program") {
  memory::Image image;
  image.map(kBase, 0x1000);
  Decided k([](LiveWarp& w) -> LiveTask { co_await w.store(kBase + 4 * w.block(), 7 + w.block()); });
  device::RunOptions o;
  o.image = &image;
  device::Gpu(test_gpu(2)).run(k, o);
  for (uint32_t block = 0; block < 3; ++block) {
    CHECK(image.get<uint32_t>(kBase + 4 * block) == 7 + block);
  }
  CHECK(k.on.core_mhz == 1000);  // what it is told of the device
  CHECK(k.on.sms == 2);
}

// Both blocks are on one SM and begin a cycle apart; requests wait 20 cycles for others of their line to
// join.
TEST_CASE("a recorded load and one that computes have a request each, two of a kind share one") {
  struct Run {
    bool live[2];  // the first launch, the second
    uint64_t requests;
  };
  for (const Run& r :
       {Run{{false, true}, 2}, Run{{true, false}, 2}, Run{{false, false}, 1}, Run{{true, true}, 1}}) {
    CAPTURE(r.live[0], r.live[1]);
    memory::Image image;
    image.map(kBase, 0x1000);
    std::vector<uint32_t> seen;
    std::vector<std::unique_ptr<Kernel>> recorded;
    std::vector<std::unique_ptr<LiveKernel>> live;
    device::RunOptions o;
    o.image = &image;
    device::DetailedEngine engine(test_gpu(1), o);
    for (uint32_t i = 0; i < 2; ++i) {
      const uint64_t address = kBase + 32 * i;  // sectors of one line
      image.put<uint32_t>(address, 70 + i);
      if (r.live[i]) {
        live.push_back(std::make_unique<LiveKernel>(
            [&seen, address](LiveWarp& w) -> LiveTask { seen.push_back(co_await w.load(address)); }));
        engine.launch({.program = live.back().get(), .tag = i});
      } else {
        recorded.push_back(std::make_unique<Kernel>(Kernel{ldg(1).at(address).writes_barrier(0)}));
        engine.launch({.recording = recorded.back().get(), .tag = i});
      }
    }
    while (engine.advance(kNever)) {
    }
    CHECK(engine.counters()[Counter::kL2Requests] == r.requests);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 2; ++i) {
      if (r.live[i]) {
        expected.push_back(70 + i);
      }
    }
    CHECK(seen == expected);
  }
}

TEST_CASE("a load that is under way keeps the value of its time, whatever its warp stores behind it") {
  memory::Image image;
  image.map(kBase, 0x1000);
  image.put<uint32_t>(kBase, 7);
  std::vector<uint32_t> seen;
  LiveKernel k([&](LiveWarp& w) -> LiveTask {
    co_await w.lanes({.code = LiveOp::kLoad, .mask = 1, .address = {kBase}, .later = true});
    co_await w.store(kBase, 8);
    co_await w.lanes({.code = LiveOp::kLoad, .mask = 1, .address = {kBase}, .later = true});
    co_await w.reduce({Kind::kAdd, Type::kU32}, kBase, 10);
    co_await w.lanes({.code = LiveOp::kLoad, .mask = 1, .address = {kBase}, .later = true});
    co_await w.use();
    for (uint32_t i = 0; i < 3; ++i) {
      seen.push_back(static_cast<uint32_t>(w.result(i)[0]));
    }
  });
  run(k, image);
  CHECK(seen == std::vector<uint32_t>{7, 8, 18});
}

TEST_CASE("the L1 goes on showing what it has until it is invalidated; strong loads look past it") {
  memory::Image image;
  image.map(kBase, 0x1000);
  std::vector<uint32_t> seen;
  // Two blocks, on two SMs: one reads, the other writes in between.
  LiveKernel k([&](LiveWarp& w) -> LiveTask {
    constexpr uint64_t kFlag = kBase + 0x800;
    if (w.block() == 1) {
      while (co_await w.load_strong(kFlag) != 1) {
      }
      co_await w.store(kBase, 5);
      co_await w.fence();
      co_await w.store(kFlag, 2);
      co_return;
    }
    seen.push_back(co_await w.load(kBase));
    co_await w.store(kFlag, 1);
    while (co_await w.load_strong(kFlag) != 2) {
    }
    seen.push_back(co_await w.load(kBase));
    seen.push_back(co_await w.load_strong(kBase));
    co_await w.invalidate();
    seen.push_back(co_await w.load(kBase));
  });
  k.blocks(2);
  run(k, image);
  CHECK(seen == std::vector<uint32_t>{0, 0, 5, 5});
}

// Each warp has words of its own, all over lines that it shares with the others; it must see its own writes,
// in the order of its program, whatever is in the L1, on its way, or written beside them.
struct RandomWords {
  explicit RandomWords(uint32_t seed) : seed(seed) {}

  LiveTask body(LiveWarp& w) {
    const uint32_t me = w.block() * kWarps + w.index();
    std::mt19937 random(seed * 1000 + me);
    auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    std::map<uint64_t, uint32_t>& mine = expected[me];
    std::vector<std::pair<uint32_t, LaneWords>> loads;  // ticket, values
    std::vector<uint32_t> masks;
    for (int step = 0; step < 150; ++step) {
      LiveOp op{.mask = static_cast<uint32_t>(random()) | 1u << below(32)};
      for (uint32_t i = 0; i < 32; ++i) {
        // Of 16 words of a lane each, so that lanes do not meet.
        const uint64_t word = (uint64_t{below(2)} * 32 + i) * 16 + me;
        op.address[i] = kBase + 4 * word;
        op.value[i] = random();
      }
      switch (below(8)) {
        case 0:
          op.code = LiveOp::kStore;
          for_lanes(
              op, [&](uint32_t& v, uint64_t x) { v = static_cast<uint32_t>(x); }, mine);
          co_await w.lanes(op);
          break;
        case 1:
          op.code = LiveOp::kReduce;
          op.atomic = {Kind::kXor, Type::kU32};
          for_lanes(
              op, [&](uint32_t& v, uint64_t x) { v ^= static_cast<uint32_t>(x); }, mine);
          co_await w.lanes(op);
          break;
        case 2:
          op.code = LiveOp::kInvalidate;
          co_await w.lanes(op);
          break;
        default: {
          op.code = below(4) == 0 ? LiveOp::kLoadStrong : LiveOp::kLoad;
          op.later = true;
          LaneWords now{};
          for (uint32_t i = 0; i < 32; ++i) {
            now[i] = mine[op.address[i]];
          }
          loads.emplace_back(w.count(), now);
          masks.push_back(op.mask);
          co_await w.lanes(op);
        }
      }
      if (loads.size() == 12 || below(5) == 0) {
        co_await w.use();
        for (size_t i = 0; i < loads.size(); ++i) {
          for (uint32_t lane = 0; lane < 32; ++lane) {
            wrong += (masks[i] >> lane & 1) && w.result(loads[i].first)[lane] != loads[i].second[lane];
            ++checked;
          }
        }
        loads.clear();
        masks.clear();
      }
    }
  }
  template <class F>
  static void for_lanes(const LiveOp& op, F&& f, std::map<uint64_t, uint32_t>& mine) {
    for (uint32_t i = 0; i < 32; ++i) {
      if (op.mask >> i & 1) {
        f(mine[op.address[i]], op.value[i]);
      }
    }
  }

  const uint32_t seed;
  std::map<uint32_t, std::map<uint64_t, uint32_t>> expected;
  uint64_t checked = 0, wrong = 0;
};

TEST_CASE("a warp sees its own writes, in the order of its program") {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    memory::Image image;
    image.map(kBase, 0x10000);
    RandomWords words(seed);
    for (uint32_t i = 0; i < 2 * kWarps; ++i) {
      words.expected[i];
    }
    LiveKernel k([&](LiveWarp& w) { return words.body(w); });
    k.blocks(2).warps(kWarps);
    run(k, image, 1, seed % 2 == 0 ? 32 : 0);
    CAPTURE(seed);
    CHECK(words.checked > 10'000);
    CHECK(words.wrong == 0);
    for (const auto& [warp, of_warp] : words.expected) {
      for (const auto& [address, value] : of_warp) {
        REQUIRE(image.get<uint32_t>(address) == value);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::simtest
