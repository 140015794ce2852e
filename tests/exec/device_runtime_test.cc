// What kernels launch is put down (cuda-model A27), without a kernel.
#include "sim/exec/device_runtime.h"

#include <catch2/catch.hpp>

namespace heddle::exec::test {
namespace {

DeviceOp launch_of(const char* kernel) {
  DeviceOp op;
  op.kernel = kernel;
  return op;
}

std::vector<std::string> kernels(const std::vector<DeviceOp>& ops) {
  std::vector<std::string> out;
  for (const DeviceOp& op : ops) {
    out.push_back(op.kernel);
  }
  return out;
}

}  // namespace

TEST_CASE("a prepared launch is taken once, from its own buffer") {
  DeviceRuntime r({});
  r.prepare(0x1000, launch_of("a"));
  r.prepare(0x2000, launch_of("b"));
  r.prepare(0x1000, launch_of("c"));  // in a's place
  CHECK(r.take_prepared(0x3000).kernel.empty());
  CHECK(r.take_prepared(0x1000).kernel == "c");
  CHECK(r.take_prepared(0x1000).kernel.empty());
  CHECK(r.take_prepared(0x2000).kernel == "b");
}

TEST_CASE("what was asked for is given block after block, and forgotten with what was only prepared") {
  DeviceRuntime r({});
  CHECK(r.empty());
  r.prepare(0x1000, launch_of("never"));
  CHECK(r.empty());
  r.add({2, 5, 0}, launch_of("a"));
  r.add({0, 1, 0}, launch_of("b"));
  r.add({2, 3, 0}, launch_of("c"));
  CHECK_FALSE(r.empty());
  const std::vector<DeviceOp> ops = r.taken();
  CHECK(kernels(ops) == std::vector<std::string>{"b", "a", "c"});
  CHECK(ops[1].by_block == 2);
  CHECK(ops[1].by_thread == 5);
  CHECK(r.empty());
  CHECK(r.taken().empty());
  CHECK(r.take_prepared(0x1000).kernel.empty());
}

TEST_CASE("when, is a share of the instructions of its own warp") {
  DeviceRuntime r({});
  r.add({0, 31, 10}, launch_of("a"));
  r.add({0, 32, 30}, launch_of("b"));
  r.add({1, 31, 20}, launch_of("c"));
  r.warp_ended(0, 0, 40);
  r.warp_ended(0, 32, 60);
  r.warp_ended(1, 0, 20);
  r.warp_ended(7, 0, 20);  // launched nothing
  const std::vector<DeviceOp> ops = r.taken();
  CHECK(ops[0].after == 0.25);
  CHECK(ops[1].after == 0.5);
  CHECK(ops[2].after == 1);
}

TEST_CASE("streams and events are counted, errors are each thread's own") {
  DeviceRuntime r({{0x40, {"k", 16}}});
  CHECK(r.may_launch());
  CHECK_FALSE(DeviceRuntime({}).may_launch());
  CHECK(r.kernel(0x40)->parameter_bytes == 16);
  CHECK(r.kernel(0x41) == nullptr);
  CHECK_FALSE(r.has_stream(0));
  CHECK(r.make_stream() == 0);
  CHECK(r.make_stream() == 1);
  CHECK(r.has_stream(1));
  CHECK_FALSE(r.has_stream(2));
  CHECK(r.make_event() == 0);
  CHECK(r.make_event() == 1);
  r.set_error({1, 2, 0}, 9);
  CHECK(r.error({1, 3, 0}, true) == 0);
  CHECK(r.error({0, 2, 0}, true) == 0);
  CHECK(r.error({1, 2, 0}, false) == 9);
  CHECK(r.error({1, 2, 0}, true) == 9);
  CHECK(r.error({1, 2, 0}, true) == 0);
}

}  // namespace heddle::exec::test
