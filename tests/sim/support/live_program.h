// Kernels that compute, for tests: each warp is a coroutine of C++ that awaits its instructions.
//
//   LiveKernel k([](LiveWarp& w) -> LiveTask {
//     const uint32_t old = co_await w.atomic({Kind::kAdd, Type::kU32}, kCounter, 1);
//     co_await w.store(kOut + 4 * old, w.block());
//   });
//   k.blocks(8).warps(2);
//
// An instruction of a value (load, atomic, wait) is followed by one that uses it, as in compiled code.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sim/isa/program.h"

namespace heddle::simtest {

class LiveWarp;

// What a warp's coroutine returns.
class LiveTask {
 public:
  struct promise_type {
    LiveTask get_return_object() { return LiveTask(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  using Handle = std::coroutine_handle<promise_type>;

  LiveTask() = default;
  explicit LiveTask(Handle h) : handle_(h) {}
  LiveTask(LiveTask&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  LiveTask& operator=(LiveTask&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~LiveTask() {
    if (handle_) {
      handle_.destroy();
    }
  }
  // To its next instruction; false when it has ended.
  bool resume() {
    handle_.resume();
    return !handle_.done();
  }

 private:
  Handle handle_;
};

using LaneWords = std::array<uint64_t, 32>;

// An instruction as the coroutine asks for it.
struct LiveOp {
  enum Code : uint32_t {  // index into the code
    kUse,                 // waits for a value
    kBranch,
    kCompute,
    kLoad,        // through the L1
    kLoadStrong,  // past it
    kStore,
    kAtomic,
    kReduce,
    kFence,
    kBarrier,
    kArrive,  // at a named barrier, without waiting
    kMbarrier,
    kMbarrierWait,
    kBulk,
    kInvalidate,
    kRemoteLoad,  // of another block's shared memory: generic addresses
    kRemoteStore,
    kRemoteAtomic,
    kClusterArrive,
    kClusterWait,
    kExit,
    kCodes
  };
  Code code = kCompute;
  uint32_t mask = 1;
  LaneWords address{}, value{}, compare{};
  isa::AtomicOp atomic{};
  isa::BarrierOp barrier{};
  isa::MbarrierOp mbarrier{};
  isa::BulkOp bulk{};
  bool later = false;  // its values are used behind the next use(): LiveWarp::result()
  bool has_values() const {
    return code == kLoad || code == kLoadStrong || code == kAtomic || code == kMbarrierWait ||
           code == kRemoteLoad || code == kRemoteAtomic;
  }
};

class LiveBlock;

class LiveWarp final : public isa::WarpProgram {
 public:
  // ---- for the coroutine ----
  struct Awaiter {
    LiveWarp& warp;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    uint32_t await_resume() const { return static_cast<uint32_t>(warp.values_[0]); }
  };
  struct LanesAwaiter : Awaiter {
    const LaneWords& await_resume() const { return warp.values_; }
  };
  Awaiter issue(const LiveOp& op) {
    op_ = op;
    return {*this};
  }
  // Lane 0's, of four bytes.
  Awaiter load(uint64_t address) { return issue({.code = LiveOp::kLoad, .address = {address}}); }
  Awaiter load_strong(uint64_t address) { return issue({.code = LiveOp::kLoadStrong, .address = {address}}); }
  Awaiter store(uint64_t address, uint64_t value) {
    return issue({.code = LiveOp::kStore, .address = {address}, .value = {value}});
  }
  Awaiter atomic(isa::AtomicOp op, uint64_t address, uint64_t value, uint64_t compare = 0) {
    return issue({.code = LiveOp::kAtomic,
                  .address = {address},
                  .value = {value},
                  .compare = {compare},
                  .atomic = op});
  }
  Awaiter reduce(isa::AtomicOp op, uint64_t address, uint64_t value) {
    return issue({.code = LiveOp::kReduce, .address = {address}, .value = {value}, .atomic = op});
  }
  Awaiter fence() { return issue({.code = LiveOp::kFence}); }
  Awaiter invalidate() { return issue({.code = LiveOp::kInvalidate}); }
  Awaiter barrier(uint8_t number = 0, uint32_t threads = 0) {
    return issue({.code = LiveOp::kBarrier, .mask = ~0u, .barrier = {.threads = threads, .number = number}});
  }
  Awaiter branch() { return issue({.code = LiveOp::kBranch}); }
  Awaiter compute() { return issue({.code = LiveOp::kCompute}); }
  Awaiter mbarrier(const isa::MbarrierOp& op) {
    const bool waits = op.kind == isa::MbarrierOp::Kind::kWait || op.kind == isa::MbarrierOp::Kind::kTest;
    return issue({.code = waits ? LiveOp::kMbarrierWait : LiveOp::kMbarrier, .mbarrier = op});
  }
  Awaiter bulk(const isa::BulkOp& op) { return issue({.code = LiveOp::kBulk, .bulk = op}); }
  // All lanes of `op.mask`.
  LanesAwaiter lanes(const LiveOp& op) {
    op_ = op;
    return {{*this}};
  }
  // Waits for the values of all instructions that are `later`. The n-th instruction of values, counted from
  // 0.
  Awaiter use() { return issue({.code = LiveOp::kUse}); }
  uint32_t count() const { return ticket_; }
  const LaneWords& result(uint32_t n) const { return results_[n % results_.size()]; }
  // Nothing but this number and what it reads decides what it does next.
  void state_is(uint64_t number) { state_ = number; }

  uint32_t block() const;
  uint32_t index() const { return index_; }
  std::vector<uint8_t>& shared();

  // ---- WarpProgram ----
  std::span<const isa::Run> next(uint64_t now) override;
  void issue(uint32_t code, uint32_t mask, isa::Operands& out) override;
  void complete(uint32_t ticket, uint32_t mask, const isa::LaneValues& values) override;
  State state() const override { return {state_ != 0, state_ << 8 | run_.first, executed_}; }

 private:
  friend class LiveBlock;
  LiveBlock* home_ = nullptr;
  uint32_t index_ = 0;
  LiveTask task_;
  LiveOp op_;
  LaneWords values_{};
  std::array<LaneWords, 64> results_{};  // by ticket
  uint32_t ticket_ = 0;
  isa::Run run_{};
  enum class Next : uint8_t { kResume, kUse, kNothing } next_ = Next::kResume;
  uint32_t pending_ = 0;  // instructions whose values have not come
  uint64_t executed_ = 0, state_ = 0;
};

class LiveBlock final : public isa::BlockProgram {
 public:
  using Body = std::function<LiveTask(LiveWarp&)>;
  LiveBlock(uint64_t linear, uint32_t warps, uint32_t shared_bytes, const Body& body);
  uint32_t warps() const override { return static_cast<uint32_t>(warps_.size()); }
  isa::WarpProgram& warp(uint32_t i) override { return *warps_[i]; }
  isa::BlockWork work() const override;
  void deliver(uint64_t shared_address, std::span<const uint8_t> bytes) override;
  std::span<uint8_t> shared_memory() override { return shared; }

  std::vector<uint8_t> shared;

 private:
  std::vector<std::unique_ptr<LiveWarp>> warps_;
};

class LiveKernel final : public isa::GridProgram {
 public:
  explicit LiveKernel(LiveBlock::Body body);
  LiveKernel& blocks(uint32_t n) { return image_.shape.grid = {n, 1, 1}, *this; }
  LiveKernel& warps(uint32_t n) { return image_.shape.block = {32 * n, 1, 1}, *this; }
  LiveKernel& cluster(uint32_t n) {
    image_.shape.cluster = {n, 1, 1};
    image_.shape.shared_base = kSharedBase;
    return *this;
  }
  static constexpr uint64_t kSharedBase = 0x7f0000000000;
  LiveKernel& shared_bytes(uint32_t n) { return image_.shape.dynamic_shared_bytes = n, *this; }
  isa::LaunchShape& shape() { return image_.shape; }
  void rewind() { next_ = 0; }

  const isa::KernelImage& image() const override { return image_; }
  std::unique_ptr<isa::BlockProgram> next() override;

 private:
  isa::KernelImage image_;
  LiveBlock::Body body_;
  uint32_t next_ = 0;
};

}  // namespace heddle::simtest
