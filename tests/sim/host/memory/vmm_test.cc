// Virtual memory management: cuda-model A28. The granularity is 2 MiB. What calls return is what an H200's
// driver returns to tools/microbench/host_memory.cu (traces/h200/hosterrors.csv, rows "vmm"), in the same
// order.
#include <catch2/catch.hpp>
#include <string>

#include "sim/base/error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using host::Protection;
using Strings = std::vector<std::string>;

constexpr uint64_t kMiB = 1 << 20, kG = 2 * kMiB;
const std::string kInvalid = "CUDA_ERROR_INVALID_VALUE", kNotSupported = "CUDA_ERROR_NOT_SUPPORTED",
                  kIllegal = "cudaErrorIllegalAddress", kRuntimeInvalid = "cudaErrorInvalidValue";

struct Program {
  explicit Program(uint32_t devices = 1) : w(devices) {}
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  spec::VirtualMemory& costs() { return *gpu.mutable_host()->mutable_vmm(); }
  // A kernel of 10 us with these accesses.
  Kernel kernel(const std::string& name, const std::vector<host::Access>& accesses) {
    const Kernel k = w.kernel_us(name, 10);
    w.program().kernels[k.id].accesses = accesses;
    return k;
  }
  // A range with memory behind it that device 0 reaches.
  Buffer mapped(const std::string& name, Physical p, uint64_t bytes = kG) {
    const Buffer b = w.range(name, bytes);
    main.memAddressReserve(b).memMap(b, p).memSetAccess(b, 0);
    return b;
  }
  host::Result run(bool check = true) { return host::run(w.program(), gpu, {{}, true, check}); }
};

Strings findings(const host::Result& r) {
  Strings out;
  for (const host::Finding& f : r.findings) {
    out.push_back(f.kind + ": " + f.call.api + ", " + f.other.api);
  }
  return out;
}

TEST_CASE("VM01: memory and addresses are made apart, of whole granules") {
  Program p;
  const Physical odd = p.w.physical("odd", 3 * kMiB), huge = p.w.physical("huge", kMiB * kMiB),
                 big = p.w.physical("big", 2 * kG), m = p.w.physical("m", kG);
  const Buffer odd_range = p.w.range("odd range", 3 * kMiB), va = p.w.range("va", 4 * kG);
  p.main.memGetAllocationGranularity().memGetInfo();
  p.main.memCreate(odd).memAddressReserve(odd_range).memCreate(huge);
  p.main.memCreate(big).memCreate(m).memGetInfo().memAddressReserve(va).memGetInfo();
  p.main.memSetAccess(va, 0, 0, kG);  // before it is mapped
  p.main.memUnmap(va, 0, kG);         // nothing there: no error
  p.main.memMap(va, big, 0, kG, kG);  // not from the memory's start
  p.main.memMap(va, m, 0, kG);
  p.main.memMap(va, m, kG, 4 * kG);                        // more than there is
  p.main.memMap(va, m, kG, kG).memMap(va, m, 2 * kG, kG);  // the same again: aliases
  p.main.memSetAccess(va, 0, 0, 3 * kG);                   // over several mappings
  p.main.memSetAccess(va, 0, 0, 4 * kG);                   // over a hole
  p.main.memset(va, 3 * kG);
  p.main.memset(va, kG).at(3 * kG);
  p.main.memAddressFree(va);                    // while mapped
  p.main.memUnmap(va, 0, kMiB);                 // a part
  p.main.memRelease(m).memGetInfo();            // still mapped
  p.main.memUnmap(va, 0, 2 * kG).memGetInfo();  // still mapped, once
  p.main.memUnmap(va, 2 * kG, kG).memGetInfo();
  p.main.memRelease(m);
  p.main.memAddressFree(va, kG).memAddressFree(va);
  p.main.free(va);
  p.main.getLastError();
  const host::Result r = p.run(false);
  CHECK(errors(r) == Strings{kInvalid, kInvalid, "CUDA_ERROR_OUT_OF_MEMORY", kInvalid, kNotSupported,
                             kNotSupported, kInvalid, kRuntimeInvalid, kInvalid, kInvalid, kInvalid, kInvalid,
                             kRuntimeInvalid});
  const Strings a = answers(r);
  REQUIRE(a.size() == 8);
  CHECK(a[0] == "2097152");
  const auto free = [&](size_t i) { return std::stoull(a[i].substr(5)); };
  CHECK(free(1) - free(2) == 3 * kG);
  CHECK(free(3) == free(2));  // addresses take no memory
  CHECK(free(4) == free(3));
  CHECK(free(5) == free(4));
  CHECK(free(6) - free(5) == kG);          // released, and mapped nowhere
  CHECK(a[7] == "cudaErrorInvalidValue");  // the runtime's, of cudaFree: the driver's calls set none
}

TEST_CASE("VM01: what is not mapped, or without access, is not reached") {
  Program p;
  const Physical m = p.w.physical("m", kG);
  const Buffer va = p.w.range("va", 2 * kG), d = p.w.device("d", kG);
  p.main.memCreate(m).memAddressReserve(va);
  Strings expected;
  SECTION("a kernel, nothing mapped") { expected = {kIllegal}; }
  SECTION("a kernel, no access") {
    p.main.memMap(va, m);
    expected = {kIllegal};
  }
  SECTION("a kernel, access to read only") {
    p.main.memMap(va, m).memSetAccess(va, 0, 0, kG, Protection::kRead);
    p.main.memcpy(d, va, kG);  // reads
    p.main.memcpy(va, d, kG);
    expected = {kRuntimeInvalid, kIllegal};
  }
  SECTION("a kernel, access") { p.main.memMap(va, m).memSetAccess(va, 0, 0, kG); }
  SECTION("a kernel, unmapped again") {
    p.main.memMap(va, m).memSetAccess(va, 0, 0, kG).memUnmap(va);
    expected = {kIllegal};
  }
  SECTION("mapped over a mapping") {  // the first stays
    p.main.memMap(va, m).memMap(va, m).memSetAccess(va, 0, 0, kG);
    expected = {kInvalid};
  }
  p.main.launch(p.kernel("k", {writes(va, 0, kG)}), p.s).deviceSynchronize();
  CHECK(errors(p.run(false)) == expected);
}

TEST_CASE("VM01: a range that nothing is ever mapped to") {
  Program p;
  const Buffer va = p.w.range("va", kG);
  p.main.memAddressReserve(va).memUnmap(va).memSetAccess(va, 0).memAddressFree(va).memAddressFree(va);
  CHECK(errors(p.run()) == Strings{kInvalid, kInvalid});  // the access, the second free
}

TEST_CASE("VM01: reservations of so many bytes and more cost more") {
  Program p;
  p.costs().set_reserve_ns(1000);
  p.costs().set_reserve_large_ns(5000);
  p.costs().set_reserve_large_bytes(64 * kMiB);
  const Buffer small = p.w.range("small", 62 * kMiB), large = p.w.range("large", 64 * kMiB);
  p.main.memAddressReserve(small);
  CHECK(us(p.run().end) == 1);
  p.main.memAddressReserve(large);
  CHECK(us(p.run().end) == 1 + 5);
  p.main.memAddressFree(large);
  CHECK(us(p.run().end) == 1 + 5 + 1);
}

TEST_CASE("VM01: what the calls cost") {
  Program p;
  p.costs().set_reserve_ns(1000);
  p.costs().set_create_ns(2000);
  p.costs().set_create_ns_per_mib(10);
  p.costs().set_map_ns(300);
  p.costs().set_set_access_ns(4000);
  p.costs().set_set_access_ns_per_mib(20);
  p.costs().set_unmap_ns(5000);
  p.costs().set_unmap_ns_per_mib(30);
  p.costs().set_release_ns(6000);
  p.costs().set_release_ns_per_mib(40);
  const Physical m = p.w.physical("m", 100 * kMiB);
  const Buffer va = p.w.range("va", 100 * kMiB);
  p.main.memAddressReserve(va).memCreate(m).memMap(va, m).memSetAccess(va, 0);
  double expected = 1 + 3 + 0.3 + 6;
  SECTION("released last: the memory goes") {
    p.main.memUnmap(va).memRelease(m);
    expected += 8 + 10;
  }
  SECTION("released while mapped") {
    p.main.memRelease(m).memUnmap(va);
    expected += 6 + 8;
  }
  CHECK(us(p.run().end) == Approx(expected));
}

TEST_CASE("VM02: one range over the memory of two devices") {
  Program p(2);
  const Physical near = p.w.physical("near", kG, 0), far = p.w.physical("far", kG, 1);
  const Buffer va = p.w.range("va", 2 * kG);
  p.main.memCreate(near).memCreate(far).memAddressReserve(va);
  p.main.memMap(va, near).memMap(va, far, kG).memSetAccess(va, 0);
  p.main.launch(p.kernel("k", {writes(va, kG / 2, kG)}), p.s).deviceSynchronize();
  const host::Result r = p.run();
  CHECK(errors(r).empty());
  CHECK(r.findings.empty());
  int seen = 0;  // half a granule is of the other device
  for (const host::RunCounter& c : r.counters) {
    if (c.name == "device 0 kernels' bytes to other devices") {
      ++seen;
      CHECK(c.value == kG / 2);
    } else if (c.name.ends_with("memory peak bytes")) {
      ++seen;
      CHECK(c.value == kG);  // on each device
    }
  }
  CHECK(seen == 3);
}

TEST_CASE("VM03: only who was given access reaches the memory, also where peer access is enabled") {
  Program p(2);
  p.costs().set_set_access_ns(4000);
  const Stream other = p.w.stream("other", true, 0, 1);
  const Physical a = p.w.physical("a", kG), b = p.w.physical("b", kG);
  const Buffer x = p.w.range("x", kG), y = p.w.range("y", kG);
  p.main.memCreate(a).memCreate(b).memAddressReserve(x).memAddressReserve(y).memMap(x, a).memMap(y, b);
  p.main.memSetAccess(x, 1);
  p.main.setDevice(1).launch(p.kernel("k", {reads(x)}), other).deviceSynchronize();
  SECTION("x only") {
    const host::Result r = p.run();
    CHECK(errors(r).empty());
    CHECK(span(r, "thread main", "cuMemSetAccess").end == Approx(4));  // of the one that was asked for
  }
  SECTION("and y") {
    p.main.launch(p.kernel("k2", {reads(y)}), other).deviceSynchronize();
    CHECK(errors(p.run()) == Strings{kIllegal});
  }
}

TEST_CASE("VM04 C68: two kernels, each through another alias of the memory") {
  Program p;
  const Physical m = p.w.physical("m", kG);
  p.main.memCreate(m);
  const Buffer a = p.mapped("a", m), b = p.mapped("b", m);
  const Kernel foo1 = p.kernel("foo1", {writes(a)}), foo2 = p.kernel("foo2", {reads(b)});
  const Event e = p.w.event("e");
  p.main.launch(foo1, p.s);
  SECTION("with an event between them: defined") {
    p.main.eventRecord(e, p.s).streamWaitEvent(p.s2, e).launch(foo2, p.s2);
    CHECK(findings(p.run()).empty());
  }
  SECTION("in one stream: defined") {
    p.main.launch(foo2, p.s);
    CHECK(findings(p.run()).empty());
  }
  SECTION("at the same time: not") {
    p.main.launch(foo2, p.s2);
    CHECK(findings(p.run()) ==
          Strings{"race through an alias: cudaLaunchKernel foo2, cudaLaunchKernel foo1"});
  }
  SECTION("atomics are not atomic with those of another alias") {
    p.main.launch(p.kernel("x", {atomics(a)}), p.s).launch(p.kernel("y", {atomics(b)}), p.s2);
    CHECK(findings(p.run()).size() == 2);  // y: with x, and with foo1
  }
  SECTION("through one alias they are") {
    p.main.launch(p.kernel("x", {atomics(a)}), p.s).launch(p.kernel("y", {atomics(a)}), p.s);
    CHECK(findings(p.run()).empty());
  }
  SECTION("other memory is no alias") {
    const Physical n = p.w.physical("n", kG);
    p.main.memCreate(n);
    const Buffer c = p.mapped("c", n);
    p.main.launch(p.kernel("k", {reads(c)}), p.s2);
    CHECK(findings(p.run()).empty());
  }
  SECTION("unmapped while it is in use") {
    p.main.memUnmap(b).memUnmap(a);  // b: foo1 does not use it
    CHECK(findings(p.run()) == Strings{"unmap while in use: cuMemUnmap, cudaLaunchKernel foo1"});
  }
  SECTION("unmapped when it is done") {
    p.main.streamSynchronize(p.s).memUnmap(a);
    CHECK(findings(p.run()).empty());
  }
  SECTION("used when unmapped") {
    p.main.streamSynchronize(p.s).memUnmap(a).launch(foo1, p.s);
    CHECK(findings(p.run()) == Strings{"use of unmapped addresses: cudaLaunchKernel foo1, "});
  }
}

TEST_CASE("VM05 C68: two aliases in one kernel need fence.proxy.alias") {
  Program p;
  const Physical m = p.w.physical("m", kG);
  p.main.memCreate(m);
  const Buffer a = p.mapped("a", m), b = p.mapped("b", m);
  SECTION("without") {
    p.main.launch(p.kernel("foo", {writes(a), reads(b)}), p.s);
    CHECK(findings(p.run()) == Strings{"aliases in one operation without fence.proxy.alias: cudaLaunchKernel "
                                       "foo, cudaLaunchKernel foo"});
  }
  SECTION("with") {
    p.main.launch(p.kernel("foo", {writes(a), fenced(reads(b))}), p.s);
    CHECK(findings(p.run()).empty());
  }
  SECTION("two that only read") {
    p.main.launch(p.kernel("foo", {reads(a), reads(b)}), p.s);
    CHECK(findings(p.run()).empty());
  }
}

TEST_CASE("multicast objects are refused, as by an H200 alone") {
  Program p;
  p.main.multicastCreate(1, kG).multicastCreate(2, kG);
  CHECK(errors(p.run()) == Strings{kNotSupported, kNotSupported});
}

TEST_CASE("virtual memory in the wrong place") {
  Program p;
  const Physical m = p.w.physical("m", kG);
  const Buffer va = p.w.range("va", kG), d = p.w.device("d", kG);
  SECTION("no range") { p.main.memMap(d, m); }
  SECTION("cudaMalloc") { p.main.malloc(va); }
  SECTION("beyond the end") { p.main.memUnmap(va, kG, kG); }
  SECTION("no such device") { p.main.memSetAccess(va, 1); }
  SECTION("no such memory") { p.main.memCreate({7}); }
  CHECK_THROWS_AS(p.run(), Error);
}

TEST_CASE("VM01: a range is freed whole or not at all") {
  Program p;
  const Physical m = p.w.physical("m", kG);
  const Buffer va = p.w.range("va", 2 * kG);
  p.main.memCreate(m).memAddressReserve(va);
  p.main.memAddressFree(va, kG);  // a part: it stays reserved
  p.main.memMap(va, m).memUnmap(va, 0, kG);
  CHECK(errors(p.run(false)) == Strings{kInvalid});
  p.main.memAddressFree(va).memMap(va, m);
  CHECK(errors(p.run(false)) == Strings{kInvalid, kInvalid});
}

TEST_CASE("VM01: access is set for any row of whole mappings, wherever it begins and ends") {
  for (uint64_t first = 0; first < 3; ++first) {
    for (uint64_t count = 1; first + count <= 3; ++count) {
      CAPTURE(first, count);
      Program p;
      const Physical m = p.w.physical("m", kG);
      const Buffer va = p.w.range("va", 3 * kG);
      p.main.memCreate(m).memAddressReserve(va);
      for (uint64_t i = 0; i < 3; ++i) {
        p.main.memMap(va, m, i * kG);
      }
      p.main.memSetAccess(va, 0, first * kG, count * kG);
      CHECK(p.run(false).errors.empty());
      for (uint64_t i = 0; i < 3; ++i) {
        p.main.memset(va, kG).at(i * kG);
      }
      CHECK(errors(p.run(false)) == Strings(3 - count, kRuntimeInvalid));  // those without access
    }
  }
}

}  // namespace
}  // namespace heddle::hosttest
