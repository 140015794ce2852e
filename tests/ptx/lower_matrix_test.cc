// Products and fragments of all types, asynchronous stores: how many machine instructions of each kind,
// against ptxas 13.0 (-arch=sm_90a).
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

std::string list(const std::string& name, uint32_t n) {
  std::string out = "{";
  for (uint32_t k = 0; k < n; ++k) {
    out += fmt::format("{}%{}{}", k == 0 ? "" : ", ", name, k);
  }
  return out + "}";
}

// Registers of a thread, as wmma has them.
struct Wmma {
  const char* name;
  const char* shape;
  const char* type;  // of A and B
  const char* sum;
  uint32_t a, b, d;
  const char* row;  // layouts of A, B
  const char* col;
  const char* space;
  std::map<std::string, size_t> machine;  // opcodes that begin so
};

std::string module_of_wmma(const Wmma& w) {
  const std::string factors = w.type == std::string("f64") ? "f64" : "b32";
  const bool half = w.type == std::string("f16");
  const std::string types =
      half ? fmt::format("{}.{}", w.sum, w.sum) : fmt::format("{}.{}.{}.{}", w.sum, w.type, w.type, w.sum);
  std::string zero;
  for (uint32_t k = 0; k < w.d; ++k) {
    zero += w.sum == std::string("s32") || w.sum == std::string("f16") ? fmt::format("mov.b32 %d{}, 0; ", k)
            : w.sum == std::string("f32") ? fmt::format("mov.f32 %d{}, 0f00000000; ", k)
                                          : fmt::format("mov.f64 %d{}, 0d0000000000000000; ", k);
  }
  const std::string sums = w.sum == std::string("f16") || w.sum == std::string("s32") ? "b32" : w.sum;
  const std::string space = w.space;
  return fmt::format(
      ".version 8.0 .target sm_90 .address_size 64\n.entry k(.param .u64 p, .param .u32 n) {{\n.reg .{} "
      "%a<8>; .reg "
      ".{} %b<8>; .reg .{} %d<8>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
      "wmma.load.a.sync.aligned.{}.{}.{}{} {}, [%rd1], 64;\nwmma.load.b.sync.aligned.{}.{}.{}{} {}, "
      "[%rd1+4096], "
      "64;\n{}\nwmma.mma{}.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\nwmma.store.d.sync.aligned.row.{}.{}{} "
      "[%rd1+8192], {}, 64; ret; }}\n",
      factors, factors, sums, w.row, w.shape, space, w.type, list("a", w.a), w.col, w.shape, space, w.type,
      list("b", w.b), zero, w.type == std::string("b1") ? ".xor.popc" : "", w.row, w.col, w.shape, types,
      list("d", w.d), list("a", w.a), list("b", w.b), list("d", w.d), w.shape, space, w.sum, list("d", w.d));
}

std::vector<std::string> code_of(const std::string& text) {
  const auto module = parse("k.ptx", text);
  return lower::lower(*module, module->functions[0])->image.text;
}

size_t begins(const std::vector<std::string>& code, const std::string& what) {
  size_t n = 0;
  for (const std::string& line : code) {
    n += line.substr(line.starts_with("@") ? line.find(' ') + 1 : 0).starts_with(what) ? 1 : 0;
  }
  return n;
}

// A product of which each operand comes from memory and the result goes there.
std::string product(const std::string& how, uint32_t a, uint32_t b, uint32_t d, bool floats,
                    const std::string& more) {
  const std::string sum = floats ? "f" : "d";
  return ".reg .b32 %a<5>; .reg .b32 %b<5>; .reg .b32 %d<5>;\nld.param.u64 %rd1, [p]; ld.global.u32 %r1, "
         "[%rd1];\n" +
         fmt::format("ld.global.v4.u32 {}, [%rd1+16]; ld.global.v4.u32 {}, [%rd1+32];\n", list("a", 4),
                     list("b", 4)) +
         (floats ? fmt::format("ld.global.v4.f32 {}, [%rd1+48];\n", list("f", 4))
                 : fmt::format("ld.global.v4.u32 {}, [%rd1+48];\n", list("d", 4))) +
         fmt::format("{} {}, {}, {}, {}{};\n", how, list(sum, d), list("a", a), list("b", b), list(sum, d),
                     more) +
         (floats ? fmt::format("st.global.v4.f32 [%rd1], {}; ret;", list("f", 4))
                 : fmt::format("st.global.v4.u32 [%rd1], {}; ret;", list("d", 4)));
}

}  // namespace

TEST_CASE("lower: wmma of each type and shape") {
  const std::vector<Wmma> all = {
      {"f16, eight rows",
       "m8n32k16",
       "f16",
       "f32",
       8,
       8,
       8,
       "row",
       "col",
       "global.",
       {{"LDG.E", 10}, {"HMMA.16816.F32", 2}, {"STG.E R", 0}, {"STG.E ", 8}, {"MOVM", 0}}},
      {"f16, eight rows, turned",
       "m8n32k16",
       "f16",
       "f16",
       8,
       8,
       4,
       "col",
       "row",
       "global.",
       {{"LDG.E", 10}, {"HMMA.16816.F16", 2}, {"STG.E ", 4}, {"MOVM", 14}}},
      {"s8",
       "m16n16k16",
       "s8",
       "s32",
       2,
       2,
       8,
       "row",
       "col",
       "global.",
       {{"LDG.E ", 4}, {"IMMA.16816.S8.S8", 2}, {"STG.E.64", 4}}},
      {"s8, turned",
       "m16n16k16",
       "s8",
       "s32",
       2,
       2,
       8,
       "col",
       "row",
       "global.",
       {{"LDG.E.U8", 16}, {"IMAD R", 8}, {"PRMT", 4}, {"IMMA.16816.S8.S8", 2}, {"STG.E.64", 4}}},
      {"u8, 32 rows",
       "m32n8k16",
       "u8",
       "s32",
       4,
       1,
       8,
       "row",
       "col",
       "global.",
       {{"LDG.E ", 5}, {"IMMA.16816.U8.U8", 2}, {"STG.E.64", 4}}},
      {"s8, eight rows",
       "m8n32k16",
       "s8",
       "s32",
       1,
       4,
       8,
       "row",
       "col",
       "global.",
       {{"LDG.E ", 5}, {"IMMA.16816.S8.S8", 2}, {"STG.E ", 8}}},
      {"tf32",
       "m16n16k8",
       "tf32",
       "f32",
       4,
       4,
       8,
       "row",
       "col",
       "",
       {{"LD.E ", 8}, {"HMMA.1684.F32.TF32", 4}, {"ST.E.64", 4}}},
      {"tf32, turned",
       "m16n16k8",
       "tf32",
       "f32",
       4,
       4,
       8,
       "col",
       "row",
       "",
       {{"LD.E ", 8}, {"HMMA.1684.F32.TF32", 4}, {"ST.E.64", 4}}},
      {"f64",
       "m8n8k4",
       "f64",
       "f64",
       1,
       1,
       2,
       "row",
       "col",
       "",
       {{"LD.E.64", 2}, {"DMMA", 1}, {"ST.E.128", 1}}},
      {"f64, turned",
       "m8n8k4",
       "f64",
       "f64",
       1,
       1,
       2,
       "col",
       "row",
       "",
       {{"LD.E.64", 2}, {"DMMA", 1}, {"ST.E.128", 1}}},
      {"s4",
       "m8n8k32",
       "s4",
       "s32",
       1,
       1,
       2,
       "row",
       "col",
       "global.",
       {{"LDG.E ", 2}, {"IMMA.8816.S8.S8", 2}, {"SHF.R.S32.HI", 16}, {"IMAD.IADD", 2}, {"STG.E.64", 1}}},
      {"b1",
       "m8n8k128",
       "b1",
       "s32",
       1,
       1,
       2,
       "row",
       "col",
       "global.",
       {{"LDG.E ", 2}, {"BMMA.88128.AND.POPC", 2}, {"IMAD.IADD", 2}, {"STG.E.64", 1}}},
  };
  for (const Wmma& w : all) {
    CAPTURE(w.name);
    const auto c = code_of(module_of_wmma(w));
    for (const auto& [opcode, n] : w.machine) {
      CAPTURE(opcode);
      CHECK(begins(c, opcode) == n);
    }
  }
}

TEST_CASE("timed: lanes' addresses of fragments of bytes, turned over and not") {
  Wmma w{"", "m16n16k16", "s8", "s32", 2, 2, 8, "row", "col", "global.", {}};
  for (const bool turned : {false, true}) {
    w.row = turned ? "col" : "row";
    const Issued i(Issued::Whole{}, module_of_wmma(w), {1, 1, 1}, {32, 1, 1}, 0);
    const isa::WarpTrace& t = i.blocks[0].warps[0];
    std::set<uint64_t> touched;  // bytes of A
    size_t at = 0;
    for (const isa::Run& r : t.runs) {
      for (uint32_t k = 0; k < r.count; ++k) {
        const isa::Instr& in = i.image.code[r.first + k];
        uint64_t address[32];
        if (r.mask != 0 && in.op == isa::OpClass::kLdGlobal && isa::expand(t, t.refs[at], ~0U, address)) {
          for (const uint64_t a : address) {
            for (uint64_t b = 0; b < in.width; ++b) {
              if (a + b < i.buffer + 4096) {
                touched.insert(a + b - i.buffer);
              }
            }
          }
        }
        at += r.mask != 0 ? in.mem_refs : 0;
      }
    }
    CHECK(touched.size() == 256);  // 16 rows of 16, 64 apart
    for (const uint64_t a : touched) {
      CHECK((a / 64 < 16 && a % 64 < 16));
    }
  }
}

TEST_CASE("lower: sparse products") {
  const auto one = [](const std::string& shape, const std::string& types, uint32_t a, uint32_t b,
                      bool floats) {
    return code(product("mma.sp.sync.aligned." + shape + ".row.col." + types, a, b, 4, floats, ", %r1, 0x0"));
  };
  CHECK(has(one("m16n8k16", "f32.f16.f16.f32", 2, 2, true), "HMMA.SP.16816.F32 R"));
  CHECK(has(one("m16n8k32", "f32.bf16.bf16.f32", 4, 4, true), "HMMA.SP.16832.F32.BF16 R"));
  CHECK(has(one("m16n8k16", "f32.tf32.tf32.f32", 4, 4, true), "HMMA.SP.16816.F32.TF32 R"));
  const auto c = one("m16n8k64", "s32.s8.s8.s32", 4, 4, false);
  CHECK(has(c, "IMMA.SP.16864.S8.S8 R"));
  for (const std::string& line : c) {
    if (line.starts_with("IMMA")) {
      CHECK(line.ends_with(", 0x0"));  // behind the register that says which elements there are
    }
  }
}

TEST_CASE("lower: products of 8-bit floats of a warp are those of halves") {
  const auto c = code(product("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4, true, ""));
  CHECK(count(c, "F2FP.F16.E4M3.UNPACK_B") == 8);
  CHECK(count(c, "F2FP.F16.E5M2.UNPACK_B") == 4);
  CHECK(count(c, "HMMA.16816.F32") == 2);
  CHECK(count(c, "FADD") == 4);
}

TEST_CASE("lower: sparse products of warp groups") {
  const std::string text =
      ".version 8.2 .target sm_90a .address_size 64\n.entry k(.param .u64 p) { .reg .b64 %rd<5>; .reg .f32 "
      "%d<4>; "
      ".reg .pred %p<2>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [p]; add.s64 %rd3, "
      "%rd2, 8;\n"
      "ld.global.u32 %r1, [%rd1]; setp.ne.u64 %p1, %rd1, 0; mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; "
      "mov.f32 %d2, "
      "%d0; mov.f32 %d3, %d0;\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%d0,%d1,%d2,%d3}, %rd2, %rd3, %r1, 0, %p1, 1, "
      "1, 0, 0;\n"
      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%rd1], %d3; ret; "
      "}\n";
  CHECK(count(code_of(text), "HGMMA.SP.64x8x32.F32 R") == 1);
}

TEST_CASE("lower: asynchronous stores and reductions have their place and their barrier object in a pair") {
  const std::string head = "ld.param.u64 %rd1, [p]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n";
  const std::string store = "st.async.shared::cluster.mbarrier::complete_tx::bytes";
  CHECK(count(code(head + store + ".u32 [%r1], %r2, [%r3]; ret;"), "STAS [R") == 1);
  CHECK(count(code(head + store + ".v4.u32 [%r1], {%r1, %r2, %r3, %r4}, [%r3]; ret;"), "STAS.128 [R") == 1);
  const auto c = code(head + store + ".v2.u32 [%r1+8], {%r1, %r2}, [%r3+16]; ret;");
  CHECK(count(c, "STAS.64 [R") == 1);
  CHECK(count(c, "IADD3") == 2);  // as ptxas: 8 to the one, 16 to the other
  CHECK(
      count(code(head +
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, "
                 "[%r3]; ret;"),
            "REDAS.ADD [R") == 1);
}

TEST_CASE("timed: an asynchronous store tells its place and its barrier object") {
  const std::string body =
      ".shared .align 8 .b64 bar; .shared .align 8 .b8 s[256]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar; "
      "mov.u32 %r3, s;\n"
      "shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; setp.ne.u32 %p1, %r1, 0; @%p1 bra go; "
      "mbarrier.init.shared.b64 "
      "[%r2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\ngo: bar.sync 0; "
      "mapa.shared::cluster.u32 %r6, "
      "%r5, 0; mapa.shared::cluster.u32 %r7, %r2, 0;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r1, [%r7];\n"
      "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra again; ret;";
  const Issued i(body, {1, 1, 1}, {32, 1, 1}, 0);
  const isa::WarpTrace& t = i.blocks[0].warps[0];
  size_t at = 0, found = 0;
  uint64_t init = 0;
  for (const isa::Run& r : t.runs) {
    for (uint32_t k = 0; k < r.count; ++k) {
      const isa::Instr& in = i.image.code[r.first + k];
      const size_t refs = r.mask != 0 ? in.mem_refs : 0;
      const std::string_view opcode = i.image.opcodes[in.opcode];
      if (refs != 0 && opcode == "SYNCS.EXCH.64") {
        init = t.refs[at].base;
      }
      if (refs != 0 && opcode == "STAS") {
        ++found;
        uint64_t address[32];
        REQUIRE(isa::expand(t, t.refs[at], ~0U, address));
        CHECK(address[7] - address[0] == 28);
        REQUIRE(t.refs[at].count == 32);  // data operands: the barrier objects
        CHECK(t.values[t.refs[at].list + 5] % (1U << 24) == init % (1U << 24));
      }
      at += refs;
    }
  }
  CHECK(found == 1);
}

}  // namespace heddle::ptx
