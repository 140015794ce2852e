// What kernels compute in machine code of nvcc's (data/values.cu), where lanes have ended or come from
// several places, where an address may be in any memory, and where calls need a stack; and modules in which
// something is not defined.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/cubin/execute/program.h"
#include "frontends/cubin/fatbin/fatbin.h"
#include "sim/exec/execute.h"
#include "tests/cubin/object_case.h"

namespace heddle::cubin::test {
namespace {

using Catch::Contains;

class Module {
 public:
  explicit Module(const std::string& file)
      : program_(object_of(file, images_of(file, data(file)).at(0)), memory_) {}

  uint64_t buffer(uint64_t bytes) {
    const uint64_t at = memory_.allocate(bytes);
    memory_.write(at, std::vector<uint8_t>(bytes));
    return at;
  }
  template <class T>
  void put(uint64_t at, const std::vector<T>& values) {
    memory_.write(at, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
  }
  template <class T>
  std::vector<T> get(uint64_t at, size_t count) {
    std::vector<T> out(count);
    memory_.read(at, {reinterpret_cast<uint8_t*>(out.data()), count * sizeof(T)});
    return out;
  }
  exec::Launch launch(std::string_view kernel, isa::Dim3 grid, isa::Dim3 block,
                      const std::vector<uint64_t>& arguments) {
    const Function& k = program_.kernel(kernel);
    exec::Launch l = program_.launch(k);
    l.grid = grid;
    l.block = block;
    for (size_t i = 0; i < arguments.size(); ++i) {
      set_parameter(program_.object(), k, i, arguments[i], l);
    }
    return l;
  }
  void run(std::string_view kernel, isa::Dim3 grid, isa::Dim3 block, const std::vector<uint64_t>& arguments) {
    exec::execute(launch(kernel, grid, block, arguments), {});
  }

 private:
  exec::Memory memory_;
  Program program_;
};

Module values() { return Module("values.fatbin"); }

}  // namespace

TEST_CASE("votes of lanes that are left see nothing of those that have ended") {
  auto m = values();
  const uint64_t out = m.buffer(32 * 16), in = m.buffer(32 * 4);
  std::vector<uint32_t> mine(32);
  uint32_t left = 0, ones = 0, sum = 0;
  for (uint32_t t = 0; t < 32; ++t) {
    mine[t] = t % 5;
    left |= t % 5 < 2 ? 1U << t : 0;
    ones |= t % 5 == 1 ? 1U << t : 0;
    sum += t % 5 < 2 ? t : 0;
  }
  m.put(in, mine);
  m.run("votes", {1, 1, 1}, {32, 1, 1}, {out, in});
  const auto got = m.get<uint32_t>(out, 128);
  for (uint32_t t = 0; t < 32; ++t) {
    const bool is = (left >> t & 1) != 0;
    const auto same = static_cast<uint32_t>(std::popcount(t % 5 == 1 ? ones : left & ~ones));
    CHECK(got[4 * t] == (is ? ones : 0));
    CHECK(got[4 * t + 1] == 0);
    CHECK(got[4 * t + 2] == (is ? 1 : 0));
    CHECK(got[4 * t + 3] == (is ? same + (sum << 8) : 0));
  }
}

TEST_CASE("lanes at several places exchange as if they were at one") {
  for (const uint32_t cut : {16U, 5U, 0U, 32U}) {
    auto m = values();
    const uint64_t out = m.buffer(7 * 128);
    m.run("two_places", {1, 1, 1}, {32, 1, 1}, {out, cut});
    const auto got = m.get<uint32_t>(out, 7 * 32);
    CAPTURE(cut);
    for (uint32_t t = 0; t < 32; ++t) {
      CHECK(got[t] == (t ^ 16) + 100);
      CHECK(got[32 + t] == 0x49249249);
      CHECK(got[64 + t] == 0x11111111U << t % 4);
      CHECK(got[96 + t] == 496);
      CHECK(got[128 + t] == 0);
      CHECK(got[160 + t] == (t < cut ? ((t ^ 16) + 100) ^ 0x49249249 : 0));
    }
  }
}

TEST_CASE("lanes that end are waited for no longer, whenever the others came") {
  auto m = values();
  const uint64_t out = m.buffer(128);
  m.run("some_end", {1, 1, 1}, {32, 1, 1}, {out, 40});
  const auto got = m.get<uint32_t>(out, 32);
  for (uint32_t t = 0; t < 32; ++t) {
    CHECK(got[t] == (t >= 4 && t < 8 ? 39 : t ^ 1));
  }
}

// Two blocks of 64 threads in a cluster; two bits of `where` for each of four lanes: 0 their block's shared
// memory, 1 the other block's, 2 global memory.
namespace {
constexpr uint32_t kWhere[] = {0x00, 0x55, 0xaa, 0x88, 0x44, 0x66};

std::array<uint32_t, 3> threads(uint32_t where) {
  std::array<uint32_t, 3> out{};
  for (uint32_t lane = 0; lane < 4; ++lane) {
    out.at(where >> 2 * lane & 3) += 16;
  }
  return out;
}

std::vector<uint64_t> at_places(std::string_view kernel, uint32_t where) {
  auto m = values();
  const uint64_t out = m.buffer(80);
  exec::Launch l = m.launch(kernel, {2, 1, 1}, {64, 1, 1}, {out, where});
  l.cluster = {2, 1, 1};
  l.with_cluster = true;
  exec::execute(l, {});
  return m.get<uint64_t>(out, 8);
}
}  // namespace

TEST_CASE("atomics through generic addresses change the memory that is meant, once") {
  const auto of_half = [](double v) {
    const uint64_t sign = v < 0 ? 0x8000 : 0;
    const int e = std::ilogb(v == 0 ? 1 : v);
    return v == 0 ? sign
                  : sign | static_cast<uint64_t>(e + 15) << 10 |
                        static_cast<uint64_t>(std::ldexp(std::fabs(v), 10 - e)) - 1024;
  };
  const auto of_bfloat = [](double v) {
    return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(v)) >> 16};
  };
  const struct {
    const char* kernel;
    std::function<uint64_t(uint64_t)> sum;  // of so many ones, as it lies in memory
    uint32_t bits;
  } cases[] = {
      {"sums_u32", [](uint64_t n) { return n; }, 32},
      {"sums_u64", [](uint64_t n) { return n << 32 | n; }, 64},
      {"sums_f32", [](uint64_t n) { return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(n))}; }, 32},
      {"sums_f64", [](uint64_t n) { return std::bit_cast<uint64_t>(static_cast<double>(n)); }, 64},
      {"sums_f16", [&](uint64_t n) { return of_half(static_cast<double>(n)); }, 16},
      {"sums_f16x2",
       [&](uint64_t n) {
         return of_half(static_cast<double>(n)) | (n != 0 ? of_half(-static_cast<double>(n)) : 0) << 16;
       },
       32},
      {"sums_bf16x2",
       [&](uint64_t n) {
         return of_bfloat(static_cast<double>(n)) | (n != 0 ? of_bfloat(-static_cast<double>(n)) : 0) << 16;
       },
       32},
  };
  for (const auto& c : cases) {
    for (const uint32_t where : kWhere) {
      CAPTURE(c.kernel, where);
      const auto got = at_places(c.kernel, where);
      const auto [own, other, far] = threads(where);
      // The words lie 8 bytes apart; p[1] of 16 bits is at byte 8, too.
      const uint64_t shared = c.sum(own + other), global = c.sum(2 * far);
      const bool wide = std::string_view(c.kernel) == "sums_u64";
      const uint64_t shared2 = wide ? 2 * (own + other) : c.sum(2 * (own + other)),
                     global2 = wide ? 4 * far : c.sum(4 * far);
      const auto cut = [&](uint64_t w) { return c.bits == 64 ? w : w & ((uint64_t{1} << c.bits) - 1); };
      for (const int block : {0, 2}) {
        CHECK(cut(got[block]) == shared);
        CHECK(cut(got[block + 1]) == shared2);
      }
      CHECK(cut(got[4]) == global);
      CHECK(cut(got[5]) == global2);
      CHECK(got[7] == 0);
    }
  }
}

TEST_CASE("so do the others of 64 bits") {
  for (const uint32_t where : kWhere) {
    CAPTURE(where);
    const auto got = at_places("others_u64", where);
    const auto bits_of = [&](auto comes) {
      uint64_t out = 0;
      for (uint32_t t = 4; t < 64; ++t) {
        out |= comes(where >> 2 * (t % 4) & 3) ? uint64_t{1} << t : 0;
      }
      return out;
    };
    const auto [own, other, far] = threads(where);
    for (const int block : {0, 2}) {
      CHECK(got[block] == bits_of([](uint32_t p) { return p < 2; }));
      CHECK(got[block + 1] == own + other);
    }
    CHECK(got[4] == bits_of([](uint32_t p) { return p == 2; }));
    CHECK(got[5] == 2 * far);
  }
}

TEST_CASE("16 bytes are swapped at once, in shared and in global memory") {
  auto m = values();
  const uint64_t out = m.buffer(96);
  m.put<uint64_t>(out + 64, {40, 41});
  m.run("swaps_128", {1, 1, 1}, {32, 1, 1}, {out});
  // Shared: {100, 101}, then {7, 9}, which is what is compared with, then {9, 7}. Global: {40, 41}, {7, 9};
  // {9, 7} is not there.
  CHECK(m.get<uint64_t>(out, 10) == std::vector<uint64_t>{100, 101, 7, 9, 7, 9, 9, 7, 7, 9});
}

TEST_CASE("vectors of halves are added and compared one by one") {
  auto m = values();
  const uint64_t out = m.buffer(40);
  m.run("vectors", {1, 1, 1}, {2, 1, 1}, {out});
  std::vector<uint32_t> want(10, 0x40004080);                 // 2, 4 of bf16: 1 is the upper one
  std::fill(want.begin() + 4, want.begin() + 8, 0x46004800);  // 6, 8
  std::fill(want.begin() + 8, want.end(), 0x42004400);        // 3, 4
  CHECK(m.get<uint32_t>(out, 10) == want);
}

TEST_CASE("functions that call themselves have the stack of cudaLimitStackSize") {
  auto m = values();
  const uint64_t out = m.buffer(33 * 4);
  m.run("recursion", {1, 1, 1}, {4, 1, 1}, {out, 12, 0});
  CHECK(m.get<uint32_t>(out, 4) == std::vector<uint32_t>{144, 233, 377, 610});
  // 48 bytes for each call; 1024 without asking.
  const auto deep = [&](uint64_t depth, uint64_t limit) -> std::optional<uint32_t> {
    exec::Launch l = m.launch("recursion", {1, 1, 1}, {1, 1, 1}, {out, 0, depth});
    l.stack_limit = limit;
    const std::string error = error_of([&] { exec::execute(l, {}); });
    if (!error.empty()) {
      CHECK_THAT(error, Contains("in local memory is out of bounds") && Contains("cudaLimitStackSize"));
      return std::nullopt;
    }
    return m.get<uint32_t>(out, 1)[0];
  };
  CHECK(deep(12, exec::kStackLimit) == 78);
  CHECK(!deep(100, exec::kStackLimit));
  CHECK(deep(100, 100 * 64) == 5050);
}

TEST_CASE("special registers") {
  auto m = values();
  const uint64_t out = m.buffer(64 * 20 * 8);
  exec::Launch l = m.launch("special", {1, 1, 1}, {64, 1, 1}, {out});
  l.dynamic_shared = 300;
  l.grid_id = 7;
  l.multiprocessors = 148;
  exec::execute(l, {});
  const auto got = m.get<uint64_t>(out, 64 * 20);
  // In units of 128 bytes; the aggregate with 1024 that are reserved.
  const std::vector<uint64_t> want = {1, 64, 148, 384, 1408, 300, 1024, 1024, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1};
  for (size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CHECK(got[20 * 5 + i] == (i == 0 ? 0 : want[i]));
    CHECK(got[20 * 40 + i] == want[i]);
  }
}

TEST_CASE("a kernel that calls what nothing defines cannot be launched, the others can") {
  Module m("unlinked.fatbin");
  const uint64_t p = m.buffer(4);
  m.run("plain", {1, 1, 1}, {1, 1, 1}, {p});
  CHECK(m.get<uint32_t>(p, 1)[0] == 7);
  m.run("prints", {1, 1, 1}, {1, 1, 1}, {p});
  CHECK(m.get<uint32_t>(p, 1)[0] == 8);
  try {
    m.launch("needs", {1, 1, 1}, {1, 1, 1}, {});
    FAIL("it was launched");
  } catch (const NotCovered& e) {
    REQUIRE(!e.lines().empty());
    CHECK_THAT(e.lines()[0], Contains("nothing defines nowhere"));
  }
}

TEST_CASE("GC02: a kernel sets a graph's condition, which is a word at the handle's address") {
  Module m("undefined.fatbin");
  const uint64_t p = m.buffer(8);
  m.put<uint32_t>(p, {7, 9});
  m.run("needs", {1, 1, 1}, {1, 1, 1}, {p + 4, 3});
  CHECK(m.get<uint32_t>(p, 2) == std::vector<uint32_t>{7, 3});
  try {
    m.run("needs", {1, 1, 1}, {1, 1, 1}, {16, 3});
    FAIL("16 is a handle");
  } catch (const Error& e) {
    CHECK_THAT(e.what(), Contains("cudaGraphSetConditional of 0x10, which is no handle"));
  }
}

TEST_CASE("nor can one that may call it through a table") {
  Module m("unlinked.fatbin");
  const uint64_t p = m.buffer(4);
  m.put<uint32_t>(p, {5});
  try {
    m.launch("by_table", {1, 1, 1}, {1, 1, 1}, {p, 1});
    FAIL("it was launched");
  } catch (const NotCovered& e) {
    REQUIRE(!e.lines().empty());
    CHECK_THAT(e.lines()[0], Contains("by_table: nothing defines nowhere"));
  }
}

}  // namespace heddle::cubin::test
