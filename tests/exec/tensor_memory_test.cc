// Tensor memory (tcgen05): where products, loads and copies find their elements. No silicon of Blackwell was
// asked; whole numbers that every format holds make all sums exact.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "frontends/ptx/load.h"
#include "tests/exec/exec_case.h"
#include "tests/exec/onlooker.h"

namespace heddle::exec::test {
namespace {

constexpr uint32_t kLanes = 128;

std::string kernel_text() {
  std::ifstream file("tests/exec/data/umma.ptx");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Small whole numbers, the same for A and B in all tests.
int a_of(uint32_t row, uint32_t k) { return static_cast<int>((row * 3 + k * 5) % 7) - 3; }
int b_of(uint32_t n, uint32_t k) { return static_cast<int>((n * 5 + k * 2) % 5) - 2; }

int sum_of(uint32_t row, uint32_t n, uint32_t depth) {
  int sum = 0;
  for (uint32_t k = 0; k < depth; ++k) {
    sum += a_of(row, k) * b_of(n, k);
  }
  return sum;
}

uint32_t bf16(int x) { return std::bit_cast<uint32_t>(static_cast<float>(x)) >> 16; }
uint32_t f32(int x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }
uint32_t e4m3(int x) {  // of -4 to 4
  constexpr uint32_t kMagnitudes[] = {0, 0x38, 0x40, 0x44, 0x48};
  return kMagnitudes[std::abs(x)] | (x < 0 ? 0x80 : 0);
}
uint32_t s8(int x) { return static_cast<uint8_t>(x); }

struct Kind {
  std::string name;
  uint32_t bytes;  // of an element
  uint32_t format;
  uint32_t sum;  // format of D
  uint32_t (*encode)(int);
};
const Kind kBf16 = {"f16", 2, 1, 1, bf16};
const Kind kTf32 = {"tf32", 4, 2, 1, f32};
const Kind kE4m3 = {"f8f6f4", 1, 0, 1, e4m3};
const Kind kS8 = {"i8", 1, 1, 2, s8};

uint32_t instruction(const Kind& kind, uint32_t m, uint32_t n) {
  return kind.sum << 4 | kind.format << 7 | kind.format << 10 | n / 8 << 17 | m / 16 << 24;
}

// K-major without a swizzle: tiles of 8 rows of 16 bytes, first all rows, then the next 16 bytes of K.
class Image {
 public:
  Image(const Kind& kind, uint32_t rows, uint32_t depth, uint32_t first_row,
        int (*element)(uint32_t, uint32_t))
      : rows_(rows), bytes_(size_t{rows} * depth * kind.bytes) {
    const uint32_t per = 16 / kind.bytes;
    for (uint32_t r = 0; r < rows; ++r) {
      for (uint32_t k = 0; k < depth; ++k) {
        const uint32_t at = r % 8 * 16 + r / 8 * 128 + k / per * rows * 16 + k % per * kind.bytes;
        const uint32_t bits = kind.encode(element(first_row + r, k));
        for (uint32_t byte = 0; byte < kind.bytes; ++byte) {
          bytes_[at + byte] = static_cast<uint8_t>(bits >> 8 * byte);
        }
      }
    }
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  uint64_t descriptor() const { return uint64_t{1} << 46 | uint64_t{128 / 16} << 32 | uint64_t{rows_} << 16; }
  uint32_t step() const { return 2 * rows_; }  // of K = 32 bytes, in units of 16

 private:
  uint32_t rows_;
  std::vector<uint8_t> bytes_;
};

std::vector<uint8_t> joined(const std::vector<Image>& images) {
  std::vector<uint8_t> out;
  for (const Image& i : images) {
    out.insert(out.end(), i.bytes().begin(), i.bytes().end());
  }
  return out;
}

// D, lane after lane, of each block: `columns` of a lane.
std::vector<uint32_t> product(const std::string& text, const Kind& kind, uint32_t m, uint32_t n,
                              uint32_t steps, uint32_t columns, uint32_t blocks = 1,
                              Observer* observer = nullptr) {
  const uint32_t depth = steps * 32 / kind.bytes;
  std::vector<Image> a, b;
  for (uint32_t i = 0; i < blocks; ++i) {
    a.emplace_back(kind, m / blocks, depth, i * m / blocks, a_of);
    b.emplace_back(kind, n / blocks, depth, i * n / blocks, b_of);
  }
  Case c(ptx::parse("umma.ptx", replaced(text, "kind::f16", "kind::" + kind.name)));
  c.observer = observer;
  if (blocks > 1) {
    c.cluster = {blocks, 1, 1};
  }
  const uint64_t out = c.buffer(std::vector<uint32_t>(size_t{blocks} * kLanes * columns));
  const uint64_t cycles = c.buffer(std::vector<uint32_t>(1));
  const auto size = [](const Image& i) { return static_cast<uint32_t>(i.bytes().size()); };
  c.run("umma", {blocks, 1, 1}, {kLanes, 1, 1},
        {c.buffer(joined(a)), size(a[0]), c.buffer(joined(b)), size(b[0]), a[0].descriptor(),
         b[0].descriptor(), instruction(kind, m, n), steps, a[0].step(), b[0].step(), out, columns, cycles},
        size(a[0]) + size(b[0]));
  return c.get<uint32_t>(out, size_t{blocks} * kLanes * columns);
}

using Expected = std::function<uint32_t(int)>;

// `lane`, `column`: where D's rows and columns lie in a block.
void check(const std::vector<uint32_t>& d, uint32_t rows, uint32_t n, uint32_t depth, uint32_t columns,
           uint32_t first_row, size_t from, const std::function<uint32_t(uint32_t, uint32_t)>& lane,
           const std::function<uint32_t(uint32_t)>& column, const Expected& bits) {
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t c = 0; c < n; ++c) {
      const uint32_t got = d[from + size_t{lane(row, c)} * columns + column(c)];
      if (got != bits(sum_of(first_row + row, c, depth))) {
        CAPTURE(row, c, got);
        REQUIRE(got == bits(sum_of(first_row + row, c, depth)));
      }
    }
  }
}

// What is told of a kernel's products.
class Products : public Onlooker {
 public:
  std::vector<TensorUse> uses;

 private:
  void used_tensor_memory(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*lane*/,
                          const TensorMemoryOp& op, const TensorUse& use) override {
    if (op.kind == TensorMemoryOp::Kind::kMultiply) {
      uses.push_back(use);
    }
  }
};

const auto kOwnLane = [](uint32_t row, uint32_t) { return row; };
const auto kOwnColumn = [](uint32_t n) { return n; };

}  // namespace

TEST_CASE("128 rows lie in 128 lanes, of every kind of elements") {
  const std::string text = kernel_text();
  for (const Kind& kind : {kBf16, kTf32, kE4m3, kS8}) {
    CAPTURE(kind.name);
    const std::vector<uint32_t> d = product(text, kind, 128, 48, 3, 48);
    check(d, 128, 48, 96 / kind.bytes, 48, 0, 0, kOwnLane, kOwnColumn,
          [&](int x) { return kind.sum == 2 ? static_cast<uint32_t>(x) : f32(x); });
  }
}

TEST_CASE("64 rows lie in 16 lanes of each quarter") {
  const std::vector<uint32_t> d = product(kernel_text(), kBf16, 64, 40, 2, 40);
  check(
      d, 64, 40, 32, 40, 0, 0, [](uint32_t row, uint32_t) { return row / 16 * 32 + row % 16; }, kOwnColumn,
      f32);
}

TEST_CASE("Halves of D lie alone in their cells") {
  Kind half = kBf16;
  half.format = 0;
  half.sum = 0;
  half.encode = [](int x) -> uint32_t {  // f16 of -4 to 4
    constexpr uint32_t kMagnitudes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    return kMagnitudes[std::abs(x)] | (x < 0 ? 0x8000 : 0);
  };
  const std::vector<uint32_t> d = product(kernel_text(), half, 128, 16, 1, 16);
  CHECK(std::all_of(d.begin(), d.end(), [](uint32_t x) { return x < 0x10000; }));
  CHECK((d[0] & 0x7c00) != 0);
}

TEST_CASE("A weight-stationary product has its columns in the lanes that rows leave") {
  const std::string text = replaced(kernel_text(), "tcgen05.mma.cta", "tcgen05.mma.ws.cta");
  for (const uint32_t m : {32U, 64U, 128U}) {
    CAPTURE(m);
    const uint32_t columns = 64 * m / kLanes;
    const std::vector<uint32_t> d = product(text, kBf16, m, 64, 1, columns);
    check(
        d, m, 64, 16, columns, 0, 0, [&](uint32_t row, uint32_t n) { return row + n / columns * m; },
        [&](uint32_t n) { return n % columns; }, f32);
  }
}

TEST_CASE("Two blocks have half of the rows of A and D and half of B's columns each") {
  // The even block's thread starts the product for both; who waits are both.
  std::string text = replaced(kernel_text(), "cta_group::1", "cta_group::2");
  text = replaced(
      text, "bar.sync 0;\nld.shared.u32 %r8, [slot];\n@%p0 bra waiting;",
      "barrier.cluster.arrive; barrier.cluster.wait;\nld.shared.u32 %r8, [slot];\n@%p0 bra waiting;\n"
      "setp.ne.u32 %p7, %r4, 0;\n@%p7 bra waiting;");
  text = replaced(text, "mbarrier::arrive::one.shared::cluster.b64 [bar]",
                  "mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %h0");
  text = replaced(text, ".reg .pred %p<8>;", ".reg .pred %p<8>; .reg .b16 %h0;");
  text = replaced(text, "mov.u32 %r15, 0;", "mov.u32 %r15, 0; mov.u16 %h0, 3;");
  SECTION("128 each") {
    const std::vector<uint32_t> d = product(text, kBf16, 256, 64, 2, 64, 2);
    for (const uint32_t block : {0U, 1U}) {
      check(d, 128, 64, 32, 64, block * 128, size_t{block} * kLanes * 64, kOwnLane, kOwnColumn, f32);
    }
  }
  SECTION("64 each, the columns' halves side by side") {
    const std::vector<uint32_t> d = product(text, kBf16, 128, 64, 2, 32, 2);
    for (const uint32_t block : {0U, 1U}) {
      check(
          d, 64, 64, 32, 32, block * 64, size_t{block} * kLanes * 32,
          [](uint32_t row, uint32_t n) { return row + n / 32 * 64; }, [](uint32_t n) { return n % 32; }, f32);
    }
  }
}

TEST_CASE("Who times a product is told the columns of D in a lane and the bytes of A and B") {
  const std::string text = kernel_text(),
                    stationary = replaced(text, "tcgen05.mma.cta", "tcgen05.mma.ws.cta");
  const struct {
    const std::string& text;
    const Kind& kind;
    uint32_t m, n, columns;
  } products[] = {{text, kBf16, 128, 48, 48},      {text, kBf16, 64, 40, 40},
                  {text, kTf32, 128, 16, 16},      {text, kE4m3, 128, 256, 256},
                  {stationary, kBf16, 32, 64, 16}, {stationary, kBf16, 64, 64, 32},
                  {stationary, kS8, 128, 128, 128}};
  for (const auto& p : products) {
    CAPTURE(p.kind.name, p.m, p.n);
    Products seen;
    product(p.text, p.kind, p.m, p.n, 2, p.columns, 1, &seen);
    REQUIRE(seen.uses.size() == 2);
    CHECK(seen.uses[1].columns == p.columns);
    CHECK(seen.uses[1].a_bytes == p.m * 32);  // 32 bytes of each row, of any kind
    CHECK(seen.uses[1].shared_bytes == p.n * 32);
  }
}

TEST_CASE("What is wrong with a use of tensor memory is said with its place") {
  const std::string text = kernel_text();
  const auto error = [&](const std::string& from, const std::string& to) {
    try {
      product(replaced(text, from, to), kBf16, 128, 16, 1, 16);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  CHECK(error("xyz", "") == "");
  CHECK_THAT(error("[slot], 512", "[slot], 48"),
             Contains("allocation of 48 columns of tensor memory (legal: 32, 64, 128, 256, 512)"));
  CHECK_THAT(error("b32 %r8, 512", "b32 %r8, 256"), Contains("is freed, but was not allocated so"));
  CHECK_THAT(error("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 512;", ""),
             Contains("the block ends with 512 columns of tensor memory (legal: tcgen05.dealloc before)"));
  CHECK_THAT(error("and.b32 %r18, %r0, 0x60;", "mov.u32 %r18, 0;"),
             Contains("warp 1 moves 32 lanes of tensor memory from 0 on (legal: within lanes 32 to 63"));
  CHECK_THAT(error("[slot], 512", "[slot], 32"), Contains("is freed, but was not allocated so"));
  CHECK_THAT(error("ld.param.u32 %r11, [instruction];", "mov.u32 %r11, 0x490;"),
             Contains("the instruction's descriptor has 0 rows and 0 columns (legal: 64, 128 rows"));
  CHECK_THAT(error("ld.param.u64 %d4, [a_descriptor];", "mov.u64 %d4, 0;"), Contains("1 in bits 46 to 48"));
  CHECK_THAT(
      error("cta_group::1", "cta_group::2"),
      Contains(
          "cta_group::2 in block 0 of a cluster of 1 (legal: blocks whose ranks differ in the last bit)"));
}

TEST_CASE("Pairs of f32 are calculated each by itself, also where the result is an operand") {
  Case c(R"(.entry k(.param .u64 p) { .reg .b64 %d<8>;
ld.param.u64 %d0, [p]; ld.global.u64 %d1, [%d0]; ld.global.u64 %d2, [%d0+8]; ld.global.u64 %d3, [%d0+16];
add.rn.f32x2 %d4, %d1, %d2; st.global.u64 [%d0+24], %d4;
sub.rn.f32x2 %d4, %d1, %d2; st.global.u64 [%d0+32], %d4;
mul.rz.f32x2 %d4, %d1, %d2; st.global.u64 [%d0+40], %d4;
fma.rn.f32x2 %d1, %d1, %d2, %d3; st.global.u64 [%d0+48], %d1; ret; })",
         "sm_100a");
  const uint64_t p =
      c.buffer(std::vector<float>{1.5F, -2.0F, 4.0F, 0.25F, 10.0F, 3.0F, 0, 0, 0, 0, 0, 0, 0, 0});
  c.run("k", {1, 1, 1}, {1, 1, 1}, {p});
  CHECK(c.get<float>(p + 24, 8) == std::vector<float>{5.5F, -1.75F, -2.5F, -2.25F, 6.0F, -0.5F, 16.0F, 2.5F});
}

}  // namespace heddle::exec::test
