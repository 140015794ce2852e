// Products and copies of tensor memory by their own functions: elements below a byte, every shape of a copy,
// what a warp waits for. Expected from the PTX ISA (9.0, 9.7.16), whole numbers make all sums exact.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/exec/async/reach.h"
#include "sim/exec/layout.h"
#include "sim/exec/tensor_memory/product.h"
#include "sim/exec/tensor_memory/shape.h"
#include "tests/exec/exec_case.h"
#include "tests/exec/onlooker.h"

namespace heddle::exec::test {
namespace {

constexpr uint32_t kDepth = 32;  // of a product of elements of a byte and less

int a_at(uint32_t row, uint32_t k) { return static_cast<int>((row * 3 + k * 5) % 9) - 4; }
int b_at(uint32_t n, uint32_t k) { return static_cast<int>((n * 5 + k * 2) % 7) - 3; }

// An element type of f8f6f4: the bits of 0 to 4, those of minus, the format's number in a descriptor.
struct Small {
  uint32_t bits, format;
  std::array<uint32_t, 5> numbers;
  uint32_t encoded(int x) const {
    return numbers.at(static_cast<size_t>(std::abs(x))) | (x < 0 ? 1U << (bits - 1) : 0);
  }
};
constexpr Small kE2m3{6, 3, {0, 0b001000, 0b010000, 0b010100, 0b011000}};
constexpr Small kE3m2{6, 4, {0, 0b001100, 0b010000, 0b010010, 0b010100}};
constexpr Small kE2m1{4, 5, {0, 0b0010, 0b0100, 0b0101, 0b0110}};

// K-major, no swizzle: tiles of 8 rows of 16 bytes, first all rows, then the next 16 elements of K: those
// fill the lower 8 or 12 bytes of 16.
void put(std::vector<uint8_t>& shared, uint32_t at, const Small& type, uint32_t rows,
         int (*element)(uint32_t, uint32_t)) {
  for (uint32_t r = 0; r < rows; ++r) {
    for (uint32_t k = 0; k < kDepth; ++k) {
      const uint32_t piece = at + r % 8 * 16 + r / 8 * 128 + k / 16 * rows * 16;
      const uint32_t bits = type.encoded(element(r, k));
      for (uint32_t bit = 0; bit < type.bits; ++bit) {
        const uint32_t place = k % 16 * type.bits + bit;
        shared[piece + place / 8] =
            static_cast<uint8_t>(shared[piece + place / 8] | (bits >> bit & 1) << place % 8);
      }
    }
  }
}

uint64_t described(uint32_t at, uint32_t rows) {
  return uint64_t{1} << 46 | uint64_t{128 / 16} << 32 | uint64_t{rows} << 16 | (kSharedReserve + at) / 16;
}

struct Operands {
  static constexpr uint32_t kRows = 64, kColumns = 16, kB = kRows * 32, kEnd = kB + kColumns * 32;

  Operands(const Small& a, const Small& b) : shared(kEnd) {
    put(shared, 0, a, kRows, a_at);
    put(shared, kB, b, kColumns, b_at);
    op.kind = TensorMemoryOp::Kind::kMultiply;
    op.product = ProductKind::kF8f6f4;
    x.op = &op;
    x.a = described(0, kRows);
    x.b = described(kB, kColumns);
    x.instruction = 1U << 4 | a.format << 7 | b.format << 10 | kColumns / 8 << 17 | kRows / 16 << 24;
    memory.allocate(32);
  }
  // Of so many bytes of shared memory.
  void multiply_within(size_t bytes) {
    TensorGroup group;
    group.memory[0] = &memory;
    group.shared[0] = {shared.data(), bytes};
    multiply(x, group);
  }

  std::vector<uint8_t> shared;
  TensorMemoryOp op;
  TensorProduct x;
  TensorMemory memory;
};

}  // namespace

TEST_CASE("products of elements of 4 and 6 bits, each with each") {
  for (const Small& a : {kE2m3, kE3m2, kE2m1}) {
    for (const Small& b : {kE2m3, kE3m2, kE2m1}) {
      CAPTURE(a.format, b.format);
      Operands o(a, b);
      o.multiply_within(Operands::kEnd);
      for (uint32_t row = 0; row < Operands::kRows; ++row) {
        for (uint32_t n = 0; n < Operands::kColumns; ++n) {
          int sum = 0;
          for (uint32_t k = 0; k < kDepth; ++k) {
            sum += a_at(row, k) * b_at(n, k);
          }
          // 64 rows: 16 in each quarter
          REQUIRE(std::bit_cast<float>(o.memory.cell(row / 16 * 32 + row % 16, n)) ==
                  static_cast<float>(sum));
        }
      }
    }
  }
}

TEST_CASE("what reaches beyond the block's shared memory is said; its last bytes may be used") {
  const auto error = [](size_t bytes) {
    Operands o(kE2m3, kE2m3);
    try {
      o.multiply_within(bytes);
    } catch (const Fault& f) {
      return f.what;
    }
    return std::string();
  };
  // The last of 16 elements of 6 bits lies in the twelfth byte, and is read with the next one.
  CHECK(error(Operands::kEnd - 3).empty());
  CHECK(error(Operands::kEnd - 4).find("matrix B of descriptor 0x") == 0);
  CHECK(error(Operands::kEnd - 4)
            .find("out of bounds (the block's: " + std::to_string(Operands::kEnd - 4) +
                  " bytes from 0x400 on)") != std::string::npos);
  Operands before(kE2m3, kE2m3);
  before.x.a -= 1;  // 16 bytes below the block's own
  CHECK_THROWS_AS(before.multiply_within(Operands::kEnd), Fault);
}

TEST_CASE("copies to tensor memory: which lanes and columns each shape writes") {
  const struct {
    CopyShape shape;
    uint32_t rows, bytes;
    std::vector<uint32_t> (*lanes)(uint32_t row);
  } copies[] = {
      {CopyShape::k128x256b, 128, 32, [](uint32_t r) { return std::vector{r}; }},
      {CopyShape::k4x256b, 4, 32, [](uint32_t r) { return std::vector{32 * r}; }},
      {CopyShape::k128x128b, 128, 16, [](uint32_t r) { return std::vector{r}; }},
      // Quarters 0 and 2, 1 and 3
      {CopyShape::k64x128b0213, 64, 16,
       [](uint32_t r) {
         return std::vector{r, r + 64};
       }},
      // Quarters 0 and 1, 2 and 3
      {CopyShape::k64x128b0123, 64, 16,
       [](uint32_t r) {
         return r < 32 ? std::vector{r, r + 32} : std::vector{r + 32, r + 64};
       }},
      {CopyShape::k32x128b, 32, 16,
       [](uint32_t r) {
         return std::vector{r, r + 32, r + 64, r + 96};
       }},
  };
  for (const auto& c : copies) {
    CAPTURE(static_cast<int>(c.shape));
    // Word w of row r is 16 r + w + 1, in tiles of 8 rows of 16 bytes; the second 16 bytes behind all rows.
    const uint32_t rows = std::max(c.rows, 8U);
    std::vector<uint8_t> shared(size_t{rows} * c.bytes);
    for (uint32_t r = 0; r < c.rows; ++r) {
      for (uint32_t w = 0; w < c.bytes / 4; ++w) {
        const uint32_t at = r % 8 * 16 + r / 8 * 128 + w / 4 * rows * 16 + w % 4 * 4, word = 16 * r + w + 1;
        shared[at] = static_cast<uint8_t>(word);
        shared[at + 1] = static_cast<uint8_t>(word >> 8);
      }
    }
    std::array<std::array<uint32_t, 32>, kTensorLanes> expected{};
    constexpr uint32_t kColumn = 3;
    for (uint32_t r = 0; r < c.rows; ++r) {
      for (const uint32_t lane : c.lanes(r)) {
        for (uint32_t w = 0; w < c.bytes / 4; ++w) {
          expected.at(lane).at(kColumn + w) = 16 * r + w + 1;
        }
      }
    }
    TensorMemory memory;
    memory.allocate(32);
    TensorGroup group;
    group.memory[0] = &memory;
    group.shared[0] = shared;
    copy_to_tensor_memory(c.shape, described(0, rows), {0, kColumn}, group);
    for (uint32_t lane = 0; lane < kTensorLanes; ++lane) {
      for (uint32_t column = 0; column < 32; ++column) {
        CAPTURE(lane, column);
        REQUIRE(memory.cell(lane, column) == expected.at(lane).at(column));
      }
    }
    CHECK(rows_of(c.shape).bytes * rows_of(c.shape).rows == c.bytes * c.rows);
  }
}

namespace {

// What the observer is told of columns, a call after the other.
class Columns : public Onlooker {
 public:
  std::vector<std::pair<TensorMemoryOp::Kind, uint32_t>> uses;

 private:
  void used_tensor_memory(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*lane*/,
                          const TensorMemoryOp& op, const TensorUse& use) override {
    uses.emplace_back(op.kind, use.columns);
  }
};

}  // namespace

TEST_CASE("who asks for columns that others have waits until they are free") {
  // The last of four warps has all columns when the others come; each adds one to a word while it has them.
  Case c(
      ".shared .align 4 .b32 slot; .shared .align 4 .b32 sum;\n"
      ".entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
      "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.b32 [sum], 0; bar.sync 0;\n"
      "setp.ge.u32 %p2, %r0, 96; @%p2 bra last; bar.arrive 1, 128;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512; bra has;\n"
      "last: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512; bar.sync 1, 128;\n"
      "has: ld.shared.b32 %r1, [slot]; and.b32 %r2, %r0, 31; setp.eq.u32 %p1, %r2, 0;\n"
      "@%p1 ld.shared.b32 %r3, [sum]; @%p1 add.u32 %r3, %r3, 1; @%p1 st.shared.b32 [sum], %r3; bar.warp.sync "
      "-1;\n"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512; bar.sync 0;\n"
      "ld.shared.b32 %r3, [sum]; ld.param.u64 %rd0, [out]; @%p0 st.global.b32 [%rd0], %r3; ret; }",
      "sm_100a");
  const uint64_t out = c.buffer(std::vector<uint32_t>(1));
  c.run("k", {1}, {128}, {out});
  CHECK(c.get<uint32_t>(out, 1)[0] == 4);
}

TEST_CASE("lanes that parted ask for columns together") {
  // Both sides of a branch come to the same instruction, in a function; the warps wait for each other's
  // columns.
  Case c(
      ".shared .align 4 .b32 slot;\n"
      ".func f() { tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512; ret; }\n"
      ".entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
      "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 31; setp.ge.u32 %p2, %r0, 96; setp.lt.u32 %p0, %r2, 7;\n"
      "bar.sync 0; @%p2 bra last; bar.arrive 1, 128;\n"
      "@%p0 bra low; call f, (); bra both;\n"
      "low: call f, (); bra both;\n"
      "last: call f, (); bar.sync 1, 128;\n"
      "both: ld.shared.b32 %r1, [slot]; bar.warp.sync -1;\n"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512; ld.param.u64 %rd0, [out];\n"
      "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1; add.u32 %r1, %r1, 1; st.global.b32 [%rd0], %r1; "
      "ret; }",
      "sm_100a");
  const uint64_t out = c.buffer(std::vector<uint32_t>(128));
  c.run("k", {1}, {128}, {out});
  CHECK(c.get<uint32_t>(out, 128) == std::vector<uint32_t>(128, 1));  // column 0, and 1
}

TEST_CASE("whoever times it is told how many columns are allocated and freed") {
  Memory memory;
  ptx::Program program(
      ptx::parse("t.ptx",
                 ".version 8.8 .target sm_100a .address_size 64\n.shared .align 4 .b32 slot;\n"
                 ".entry k() { .reg .b32 %r<8>; mov.u32 %r2, 64;\n"
                 "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 256;\n"
                 "ld.shared.b32 %r1, [slot]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 256;\n"
                 "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], %r2;\n"
                 "ld.shared.b32 %r1, [slot]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, %r2; ret; }"),
      memory);
  Launch launch = program.launch(program.kernel("k"));
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  Columns seen;
  launch.observer = &seen;
  execute(launch, {});
  using Kind = TensorMemoryOp::Kind;
  CHECK(seen.uses ==
        std::vector<std::pair<Kind, uint32_t>>{
            {Kind::kAllocate, 256}, {Kind::kFree, 256}, {Kind::kAllocate, 64}, {Kind::kFree, 64}});
}

}  // namespace heddle::exec::test
