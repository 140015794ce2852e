// Instructions as data: what the record has, and that timing by the record is timing by its text.
#include <catch2/catch.hpp>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>

#include "frontends/cubin/decode.h"
#include "frontends/cubin/execute/translate.h"
#include "frontends/sass/decode.h"
#include "frontends/sass/opcode_table.h"
#include "frontends/sass/timed.h"
#include "tests/cubin/encodings.h"

namespace heddle::cubin::test {
namespace {

void add(std::ostream& out, std::initializer_list<uint64_t> numbers) {
  for (const uint64_t n : numbers) {
    out << n << ' ';
  }
}

std::string printed(const isa::Instr& in, const sass::OpcodePool& pool) {
  std::ostringstream out;
  out << pool.opcodes().at(in.opcode) << ' ';
  add(out, {in.pc, static_cast<uint64_t>(in.op), static_cast<uint64_t>(in.space), in.width, in.mem_refs,
            in.flags, in.n_src, in.n_dst});
  add(out, {in.ctl.stall, in.ctl.yield, in.ctl.write_barrier, in.ctl.read_barrier, in.ctl.wait_mask,
            in.ctl.reuse});
  for (const isa::Operand& o : in.src) {
    add(out, {static_cast<uint64_t>(o.file), o.index, o.count, o.slot});
  }
  for (const isa::Operand& o : in.dst) {
    add(out, {static_cast<uint64_t>(o.file), o.index, o.count, o.slot});
  }
  add(out, {in.barrier_id, in.matrices, in.barrier_threads, in.depbar_sb, in.depbar_count, in.depbar_mask});
  add(out, {in.mma_work, in.mma_bits, in.mma_acc_bits, in.const_bank, in.const_offset, in.target});
  add(out, {static_cast<uint64_t>(in.async.kind), in.async.dimensions, in.async.im2col, in.async.multicast});
  add(out, {static_cast<uint64_t>(in.syncs.kind), in.syncs.arrivals, static_cast<uint64_t>(in.syncs.bytes),
            in.syncs.arrivals_in_operand});
  return out.str();
}

// How many instructions were compared.
size_t compare_all(const char* name) {
  std::ifstream file(name);
  sass::OpcodePool by_record, by_text;
  size_t all = 0;
  for (std::string line; std::getline(file, line);) {
    const auto e = encoding(line);
    if (!e) {
      continue;
    }
    const auto d = decode(e->word, e->pc, e->capability);
    if (!d) {
      continue;
    }
    ++all;
    const auto pc = static_cast<uint32_t>(e->pc);
    const std::string got = printed(sass::timed(pc, *d, by_record), by_record);
    const std::string text = disassembled(e->word, e->pc, e->capability);
    const std::string expected =
        printed(sass::decode_text(pc, text, e->word.low, e->word.high, by_text), by_text);
    if (got != expected) {
      CAPTURE(text);
      CHECK(got == expected);
    }
  }
  CHECK(by_record.unknown() == by_text.unknown());
  return all;
}

// What is said of a kernel that is this instruction.
std::vector<std::string> refused(const Word& word) {
  Object o;
  o.file = "t.cubin";
  o.capability = 90;
  Function& f = o.functions.emplace_back();
  f.name = "k";
  f.kernel = true;
  f.registers = 32;
  f.code = {word};
  Placement p;
  p.code_at = {kCodeBase};
  p.code_end = kCodeBase + kInstructionBytes;
  return translate(o, 0, p).missing;
}

constexpr Word kProduct = {0x0000000504067220, 0x000fe20000400000};  // FMUL R6, R4, R5
constexpr uint64_t kFmz = uint64_t{1} << (76 - 64);

TEST_CASE("a record's modifiers and operands") {
  // @!P0 LDG.E.64 R4, desc[UR6][R8.64+0x1008]
  const auto load = decode({0x0010080608048981, 0x000ee2000c1e1b00}, 0, 90);
  REQUIRE(load);
  CHECK(load->name == Mnemonic::kLDG);
  CHECK(load->guarded);
  CHECK(load->guard_negated);
  CHECK(load->mods.contains(Mod::k64));
  CHECK_FALSE(load->mods.contains(Mod::k128));
  REQUIRE(load->count == 2);
  CHECK(load->op(0).is(Operand::Kind::kRegister));
  CHECK(load->op(1).is(Operand::Kind::kAddress));
  CHECK(load->op(1).base == 8);
  CHECK(load->op(1).offset == 0x1008);
  CHECK(load->op(1).base_wide);
  CHECK(load->op(1).descriptor == 6);
  CHECK(load->op(2).is(Operand::Kind::kNone));
}

TEST_CASE("a modifier that is taken is taken in all its places") {
  Modifiers m;
  m.add(Mod::kS8);
  m.add(Mod::kS8);
  m.add(Mod::kSAT);
  CHECK_FALSE(m.take(Mod::kU8));
  CHECK(m.take(Mod::kS8));
  CHECK(m.taken(0));
  CHECK(m.taken(1));
  CHECK_FALSE(m.taken(2));
}

TEST_CASE("there is room for so many modifiers") {
  Modifiers m;
  for (size_t i = 0; i < Modifiers::kMost; ++i) {
    CHECK(m.add(Mod::kE));
  }
  CHECK_FALSE(m.add(Mod::kE));
}

TEST_CASE("a modifier that no handler takes is refused by its name") {
  CHECK(refused(kProduct).empty());
  const std::vector<std::string> why = refused({kProduct.low, kProduct.high | kFmz});
  REQUIRE(why.size() == 1);
  CHECK(why.front() == "t.cubin: k+0x0: FMUL.FMZ R6, R4, R5: .FMZ");
}

TEST_CASE("each mnemonic has a row that says how it is timed") {
  for (const std::string_view name : std::span(sass::kMnemonicTexts).subspan(1)) {
    CAPTURE(name);
    CHECK(sass::find_row(name) != nullptr);
  }
}

TEST_CASE("an instruction's timing by its record is that by its text") {
  CHECK(compare_all("tests/cubin/data/encodings.tsv") > 2700);
  CHECK(compare_all("tests/cubin/data/encodings_blackwell.tsv") > 2700);
}

}  // namespace
}  // namespace heddle::cubin::test
