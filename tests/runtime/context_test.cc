// What CUDA's calls do, without a program around them.
#include <catch2/catch.hpp>
#include <csetjmp>
#include <csignal>
#include <cstring>

#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

TEST_CASE("a kernel changes the device's memory, a copy brings it back") {
  ContextCase c;
  const uint64_t p = c.device(128);
  c.zero(p, 128);
  c->launch(c.add(p, 3), c.legacy());
  c->launch(c.add(p, 4), c.legacy());
  CHECK(c.word(p) == 7);
  CHECK(c.word(p + 124) == 7);
  CHECK(c.launches == 2);
}

TEST_CASE("addresses of the device are nobody's on the host, pinned memory is both's") {
  ContextCase c;
  const uint64_t d = c.device(4096), h = c->allocate(4096, host::Memory::kPinned);
  auto *host = static_cast<uint32_t *>(pointer(h));
  host[0] = 41;
  c->launch(c.add(h, 1, 1), c.legacy());
  CHECK(host[0] == 41);  // the device has not come to it
  c->synchronize();
  CHECK(host[0] == 42);
  // A read of the device's address ends with a signal, as on a machine with a GPU.
  static sigjmp_buf back;
  static volatile bool faulted;
  faulted = false;
  const auto old = std::signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  if (sigsetjmp(back, 1) == 0) {
    static_cast<void>(*static_cast<volatile uint32_t *>(pointer(d)));
  } else {
    faulted = true;
  }
  std::signal(SIGSEGV, old);
  CHECK(faulted);
}

TEST_CASE("the device's memory ends: 2, and what is freed can be had again") {
  ContextCase c;
  const uint64_t all = c->space().device_bytes();
  const uint64_t p = c.device(all - 1024);
  CHECK(status([&] { c.device(2048); }) == Status::kMemoryAllocation);
  c->release(p);
  CHECK(status([&] { c->release(p); }) == Status::kInvalidValue);
  CHECK(c->space().device_used() == 0);
  CHECK(status([&] { c.device(2048); }) == Status::kSuccess);
}

TEST_CASE("copies go where their direction says, and not beyond an allocation") {
  ContextCase c;
  const uint64_t d = c.device(64);
  uint8_t bytes[64] = {};
  CopyWork w;
  w.to = d;
  w.from = reinterpret_cast<uint64_t>(bytes);
  w.width = 65;
  w.direction = CopyWork::Direction::kHostToDevice;
  CHECK(status([&] { c->copy(w, c.legacy(), true); }) == Status::kInvalidValue);
  w.width = 64;
  w.direction = CopyWork::Direction::kDeviceToHost;
  CHECK(status([&] { c->copy(w, c.legacy(), true); }) == Status::kInvalidValue);
  w.direction = CopyWork::Direction::kDefault;
  CHECK(status([&] { c->copy(w, c.legacy(), true); }) == Status::kSuccess);
}

TEST_CASE("rows of a copy lie at their pitches") {
  ContextCase c;
  const uint64_t d = c.device(32);
  c.zero(d, 32);
  const uint8_t rows[] = {1, 2, 3, 9, 4, 5, 6, 9};
  CopyWork w;
  w.to = d;
  w.to_pitch = 16;
  w.from = reinterpret_cast<uint64_t>(rows);
  w.from_pitch = 4;
  w.width = 3;
  w.height = 2;
  c->copy(w, c.legacy(), true);
  CHECK(c.word(d) == 0x00030201);
  CHECK(c.word(d + 16) == 0x00060504);
}

TEST_CASE("memsets of elements of four bytes") {
  ContextCase c;
  const uint64_t d = c.device(16);
  c.zero(d, 16);
  c->set({d + 4, 0xabcd1234, 4, 2, 1, 0}, c.legacy(), true);
  CHECK(c.word(d) == 0);
  CHECK(c.word(d + 4) == 0xabcd1234);
  CHECK(c.word(d + 8) == 0xabcd1234);
  CHECK(c.word(d + 12) == 0);
}

TEST_CASE("a kernel that fails: its call succeeds, the context has failed") {
  ContextCase c;
  const uint64_t p = c.device(128);
  CHECK(status([&] { c->launch(c.far(p), c.legacy()); }) == Status::kSuccess);
  CHECK(c->failed() == Status::kSuccess);
  c->synchronize();
  CHECK(c->failed() == Status::kIllegalAddress);
  REQUIRE(c.notes.size() == 1);
  CHECK(c.notes[0].find("load of 4 bytes") != std::string::npos);
  CHECK(c.notes[0].find("kernel far, thread (0, 0, 0)") != std::string::npos);
  c->launch(c.add(p, 1), c.legacy());
  c->synchronize();
  CHECK(c.launches == 1);
}

constexpr const char *kPrinting = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};
.visible .entry prints() {
  .reg .b64 %f;
  .reg .b32 %r;
  mov.u64 %f, text;
  cvta.global.u64 %f, %f;
  {
  .param .b64 f;
  .param .b64 a;
  .param .b32 r;
  st.param.b64 [f], %f;
  st.param.b64 [a], 0;
  call.uni (r), vprintf, (f, a);
  ld.param.b32 %r, [r];
  }
  ret;
}
)";

TEST_CASE("what a kernel prints is shown by the next launch, or who waits") {
  ContextCase c;
  KernelWork k;
  const auto program = c->library().load(kPrinting);
  k.function = &c->library().function(program, "prints");
  CHECK(!c->prints());
  c->launch(k, c.legacy());
  CHECK(c->prints());
  CHECK(c.printed.empty());
  c->timeline().threads().spend(host::from_us(100));
  c->create_stream(1, 0);  // the device comes to the kernel
  CHECK(c.printed.empty());
  c->launch(k, c.legacy());
  CHECK(c.printed == "hello\n");
  c->synchronize();
  CHECK(c.printed == "hello\nhello\n");
  c->reset();
  CHECK(!c->prints());
}

TEST_CASE("launches that the device cannot have") {
  ContextCase c;
  const uint64_t p = c.device(128);
  KernelWork k = c.add(p, 1, 1025);
  CHECK(status([&] { c->launch(k, c.legacy()); }) == Status::kInvalidConfiguration);
  k = c.add(p, 1);
  k.grid.x = 0;
  CHECK(status([&] { c->launch(k, c.legacy()); }) == Status::kInvalidConfiguration);
  k = c.add(p, 1);
  k.shared = (48 << 10) + 1;
  CHECK(status([&] { c->launch(k, c.legacy()); }) == Status::kInvalidValue);
  k.function->most_dynamic_shared = 100 << 10;
  CHECK(status([&] { c->launch(k, c.legacy()); }) == Status::kSuccess);
  c->synchronize();
  CHECK(c.launches == 1);
}

TEST_CASE("events tell the time that kernels take") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Stream &s = c->create_stream(1, 0);
  Event &a = c->create_event(0), &b = c->create_event(0);
  CHECK(status([&] { c->elapsed_ms(a, b); }) == Status::kInvalidResourceHandle);
  c->launch(c.add(p, 1), s);  // loads it
  c->synchronize();
  c->record(a, s, false);
  c.kernel_us = 1000;
  c->launch(c.add(p, 1), s);
  c->record(b, s, false);
  CHECK_FALSE(c->done(b));
  CHECK_FALSE(c->done(s));
  c->synchronize(b);
  CHECK(c->done(b));
  CHECK(c->done(s));
  const double ms = c->elapsed_ms(a, b);
  CHECK(ms > 1.0);
  CHECK(ms < 1.1);
  CHECK(c->elapsed_ms(b, a) == -ms);
}

TEST_CASE("events that the device has not reached have no time yet") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Stream &s = c->create_stream(1, 0);
  Event &a = c->create_event(0), &b = c->create_event(0);
  c->record(a, s, false);
  c.kernel_us = 1000;
  c->launch(c.add(p, 1), s);
  c->record(b, s, false);
  CHECK(status([&] { c->elapsed_ms(a, b); }) == Status::kNotReady);
  CHECK(status([&] { c->elapsed_ms(b, a); }) == Status::kNotReady);
  c->synchronize();
  CHECK(c->elapsed_ms(a, b) > 1.0);
}

TEST_CASE("a reset: modules are loaded anew, a failed kernel stays one") {
  ContextCase c;
  const uint64_t p = c.device(128);
  c->reset();
  CHECK(c->space().device_used() == 0);
  CHECK(status([&] { c.word(p); }) == Status::kInvalidValue);
  const uint64_t q = c.device(128);
  CHECK(q != p);
  const auto again = c->library().load(kPtx);
  const auto total = again->variable("total");
  REQUIRE(total.has_value());
  CHECK(c.word(total->address) == 5);
  KernelWork k;
  k.function = &c->library().function(again, "far");
  k.parameters.resize(8);
  std::memcpy(k.parameters.data(), &q, 8);
  c->launch(k, c.legacy());
  c->synchronize();
  CHECK(c->failed() == Status::kIllegalAddress);
  c->reset();
  CHECK(c->failed() == Status::kIllegalAddress);
}

TEST_CASE("who asks again and again is answered in the end") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Stream &s = c->create_stream(1, 0);
  c.kernel_us = 1e5;
  c->launch(c.add(p, 1), s);
  uint64_t asked = 0;
  while (!c->done(s)) {
    ++asked;
  }
  CHECK(asked > 256);
  const double us = host::to_us(c->timeline().finish().end);
  CHECK(us > 1e5);
  CHECK(us < 1.01e5);
}

TEST_CASE("records and queries in turn take the time that they take, and polls that of the kernel") {
  ContextCase c;
  Event &a = c->create_event(0), &b = c->create_event(0), &x = c->create_event(0);
  c->record(a, c.legacy(), false);
  for (int i = 0; i < 1000; ++i) {
    c->record(x, c.legacy(), false);
    c->done(x);
  }
  c->record(b, c.legacy(), false);
  c->synchronize();
  const double ms = c->elapsed_ms(a, b);
  CHECK(ms > 0.5);
  CHECK(ms < 20);

  c.kernel_us = 10'000;
  const uint64_t p = c->allocate(128, host::Memory::kDevice);
  c->launch(c.add(p, 1), c.legacy());  // loads it
  c->synchronize();
  c->record(a, c.legacy(), false);
  c->launch(c.add(p, 1), c.legacy());
  c->record(b, c.legacy(), false);
  uint64_t polls = 0;
  for (; !c->done(b); ++polls) {
  }
  CHECK(polls > 10'000);
  CHECK(c->elapsed_ms(a, b) == Approx(10).epsilon(0.01));
  CHECK(c->timeline().builder().program().threads[0].calls.empty());  // none is kept
}

TEST_CASE("the time between events that are not over, and the other way round") {
  ContextCase c;
  const uint64_t p = c->allocate(128, host::Memory::kDevice);
  Event &a = c->create_event(0), &b = c->create_event(0);
  c.kernel_us = 1000;
  c->launch(c.add(p, 1), c.legacy());  // loads it
  c->synchronize();
  c->record(a, c.legacy(), false);
  c->launch(c.add(p, 1), c.legacy());
  c->record(b, c.legacy(), false);
  CHECK(status([&] { c->elapsed_ms(a, b); }) == Status::kNotReady);
  c->synchronize();
  CHECK(c->elapsed_ms(a, b) == Approx(1).epsilon(0.02));
  CHECK(c->elapsed_ms(b, a) == Approx(-1).epsilon(0.02));
}

TEST_CASE("kernels of two streams run side by side") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Stream &s = c->create_stream(1, 0), &t = c->create_stream(1, 0);
  c.kernel_us = 1000;
  c->launch(c.add(p, 1), s);
  c->launch(c.add(p, 1), t);
  c->synchronize();
  const host::Result r = c->timeline().finish();
  CHECK(r.errors.empty());
  CHECK(host::to_us(r.end) < 1500);
}

TEST_CASE("variables of modules") {
  ContextCase c;
  const auto total = c.program()->variable("total");
  REQUIRE(total.has_value());
  CHECK(total->bytes == 4);
  CHECK(c.word(total->address) == 5);
  const auto limits = c.program()->variable("limits");
  REQUIRE(limits.has_value());
  CHECK(limits->constant);
  const uint32_t eleven = 11;
  uint8_t bytes[4];
  std::memcpy(bytes, &eleven, 4);
  c.program()->write_constants(limits->address + 4, bytes);
  uint8_t back[8];
  c.program()->read_constants(limits->address, back);
  CHECK(back[0] == 7);
  CHECK(back[4] == 11);
  CHECK_THROWS_AS(c.program()->write_constants(limits->address + 8, bytes), Error);
  CHECK_FALSE(c.program()->variable("none").has_value());
}

TEST_CASE("pinned memory that the program has allocated itself") {
  ContextCase c;
  std::vector<uint32_t> mine(1024, 1);
  const auto at = reinterpret_cast<uint64_t>(mine.data());
  c->register_host(at, 4096);
  CHECK(status([&] { c->register_host(at + 64, 64); }) == Status::kHostMemoryAlreadyRegistered);
  c->launch(c.add(at, 9), c.legacy());
  c->synchronize();
  CHECK(mine[31] == 10);
  c->unregister_host(at);
  CHECK(status([&] { c->unregister_host(at); }) == Status::kHostMemoryNotRegistered);
}

}  // namespace
}  // namespace heddle::cuda
