#include "frontends/accelsim/trace_reader.h"

#include <catch2/catch.hpp>

#include "tests/accelsim/compress.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

using Kind = isa::MemRef::Kind;
using Addresses = std::vector<uint64_t>;

const std::string kSide = side({"MOV R1, c[0x0][0x28]", "LDG.E R2, [R4.64]", "STG.E [R6.64], R2", "EXIT"});

// One load with the given mask and text behind the mask.
Kernel read_load(const std::string& mask, const std::string& list, int version = 3) {
  HeaderOptions h;
  h.version = version;
  return read(trace({"0010 " + mask + " 1 R2 LDG.E 1 R4 4 " + list}, h), kSide);
}

Addresses load_addresses(const std::string& mask, const std::string& list) {
  const Kernel k = read_load(mask, list);
  REQUIRE(k.warp().refs.size() == 1);
  return addresses(k.warp(), k.warp().refs[0], static_cast<uint32_t>(std::stoul(mask, nullptr, 16)));
}

TEST_CASE("the header fills image and shape", "[header]") {
  HeaderOptions h;
  h.grid = "(8,2,1)";
  h.block = "(16, 4, 1)";
  h.more =
      "-cluster dim = (4,2,1)\n-shmem static = 100\n-local bytes per thread = 64\n-cooperative = 1\n"
      "-max blocks per sm = 8\n-shmem carveout = 50\n-nvbit version = 1.7\n-param 0 = 0011\n-param 1 = 22\n"
      "-some future key = whatever = 3\n";
  std::string text = with(header(h), "-shmem = 16384", "-shmem = 228");
  text = with(text, "stream id = 0", "stream id = 9");
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 8; ++x) {
      text += block(std::to_string(x) + "," + std::to_string(y) + ",0", warp(0, {}) + warp(1, {}));
    }
  }
  const Kernel k = read(text, kSide);
  const isa::LaunchShape& s = k.image.shape;
  CHECK(k.image.name == "k");
  CHECK(k.image.id == 7);
  CHECK(k.image.compute_capability == 90);
  CHECK(s.grid == isa::Dim3{8, 2, 1});
  CHECK(s.block == isa::Dim3{16, 4, 1});
  CHECK(s.cluster == isa::Dim3{4, 2, 1});
  CHECK(s.registers_per_thread == 32);
  CHECK(s.static_shared_bytes == 100);
  CHECK(s.dynamic_shared_bytes == 128);
  CHECK(s.local_bytes_per_thread == 64);
  CHECK(s.cooperative);
  CHECK(s.carveout_percent == 50);
  CHECK(s.shared_base == 0x7f0400000000);
  CHECK(s.local_base == 0x7f0375000000);
  CHECK(s.stream == 9);
  CHECK(k.blocks.size() == 16);
}

TEST_CASE("a header without our extra keys has defaults", "[header]") {
  const Kernel k = read(with(trace({}), "-shmem = 16384", "-shmem = 48"), kSide);
  const isa::LaunchShape& s = k.image.shape;
  CHECK(s.cluster == isa::Dim3{1, 1, 1});
  CHECK(s.static_shared_bytes == 48);
  CHECK(s.dynamic_shared_bytes == 0);
  CHECK(s.carveout_percent == -1);
  CHECK_FALSE(s.cooperative);
}

TEST_CASE("the static code comes from the side file", "[side]") {
  const Kernel k = read(trace({"0030 ffffffff 0 EXIT 0 0"}), kSide);
  REQUIRE(k.image.code.size() == 4);
  CHECK(k.image.opcodes.at(k.image.code[1].opcode) == "LDG.E");
  CHECK(k.image.code[1].mem_refs == 1);
  CHECK(k.image.has_control);
  CHECK(k.image.text.at(3).find("EXIT") != std::string::npos);
  REQUIRE(k.warp().runs.size() == 1);
  CHECK(k.warp().runs[0].first == 3);
}

TEST_CASE("related functions keep the program counters of the trace", "[side]") {
  // Offsets with the base added, as our tracer writes them, and without.
  const std::string absolute =
      "200000 0000000000007918 000fc00000000000 NOP ;\n"
      "200010 0000000000007950 000fc00000000000 RET.REL.NODEC R20 0x0 ;\n";
  const std::string relative =
      "0000 0000000000007918 000fc00000000000 NOP ;\n"
      "0010 0000000000007950 000fc00000000000 RET.REL.NODEC R20 0x0 ;\n";
  for (const std::string& text : {absolute, relative}) {
    std::string both = kSide + "# function helper base 0x200000\n";
    both += text;
    const Kernel k =
        read(trace({"0030 ffffffff 0 EXIT 0 0", "200010 ffffffff 0 RET.REL.NODEC 1 R20 0"}), both);
    REQUIRE(k.image.code.size() == 6);
    CHECK(k.image.code[5].pc == 0x200010);
    CHECK(k.image.index_of(0x200010) == 5);
    CHECK(k.image.opcodes.at(k.image.code[5].opcode) == "RET.REL.NODEC");
    CHECK(k.warp().runs.back().first == 5);
  }
}

TEST_CASE("of several kernels in a side file the traced one is taken", "[side]") {
  const std::string other = "# function other base 0\n0000 0000000000007918 000fc00000000000 NOP ;\n";
  CHECK(read(trace({}), other + kSide).image.code.size() == 4);
  CHECK_THROWS_WITH(read(trace({}), with(kSide, "function k", "function renamed")),
                    Catch::StartsWith("t.sass: no function for kernel 'k', the first is for 'renamed'"));
}

TEST_CASE("runs join consecutive instructions of one mask", "[runs]") {
  const Kernel k = read(
      trace({"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4",
             "0020 00000000 0 STG.E 2 R6 R2 4 0", "0030 0000ffff 0 EXIT 0 0", "0000 ffff0000 1 R1 MOV 0 0",
             "0010 ffff0000 1 R2 LDG.E 1 R4 4 1 0x80 8", "0010 ffff0000 1 R2 LDG.E 1 R4 4 1 0x90 8"}),
      kSide);
  const isa::WarpTrace& w = k.warp();
  CHECK(w.instructions == 7);
  REQUIRE(w.runs.size() == 5);
  const auto is = [&](size_t i, uint32_t first, uint32_t count, uint32_t mask) {
    return w.runs[i].first == first && w.runs[i].count == count && w.runs[i].mask == mask;
  };
  CHECK(is(0, 0, 2, 0xffffffff));
  CHECK(is(1, 2, 1, 0));
  CHECK(is(2, 3, 1, 0xffff));
  CHECK(is(3, 0, 2, 0xffff0000));
  CHECK(is(4, 1, 1, 0xffff0000));
  CHECK(w.refs.size() == 3);  // none for the store with mask 0
  CHECK(w.refs[2].base == 0x90);
}

TEST_CASE("mode 0 lists one address for each lane", "[addresses]") {
  CHECK(load_addresses("00000003", "0 0x00007f0000000000 0x00007f0000000100") ==
        Addresses{0x7f0000000000, 0x7f0000000100});
  CHECK(load_addresses("80000001", "0 7f00 0xffff0000ffff0000 0") == Addresses{0x7f00, 0xffff0000ffff0000});
  CHECK(read_load("00000007", "0 0x100 0x108 0x110").warp().refs[0].kind == Kind::kStride);
  CHECK(read_load("00000007", "0 0x100 0x108 0x120").warp().refs[0].kind == Kind::kDelta);
  CHECK(read_load("00000007", "0 0x100 0x108 0x700000000000").warp().refs[0].kind == Kind::kFull);
}

TEST_CASE("mode 1 is base and stride over contiguous lanes", "[addresses]") {
  const Kernel k = read_load("00000ff0", "1 0x7f0000000000 -16");
  CHECK(k.warp().refs[0].kind == Kind::kStride);
  CHECK(k.warp().refs[0].stride == -16);
  CHECK(addresses(k.warp(), k.warp().refs[0], 0xff0).back() == 0x7f0000000000 - 7 * uint64_t{16});
  CHECK(load_addresses("00000010", "1 0x40 0") == Addresses{0x40});
  CHECK(load_addresses("ffffffff", "1 0x40 0 0") == Addresses(32, 0x40));
}

TEST_CASE("mode 2 is a base and deltas between consecutive lanes", "[addresses]") {
  const Addresses expected{0x1000, 0x1040, 0x1020, 0x10a0};
  for (const char* tail : {"", " ", " 0", " 0 ", " -7"}) {  // the immediate may be there or not
    const Kernel k = read_load("0000000f", std::string("2 0x1000 64 -32 128") + tail);
    const isa::MemRef& r = k.warp().refs[0];
    CHECK(r.kind == Kind::kDelta);
    CHECK(k.warp().deltas == std::vector<int32_t>{64, 32, 160});  // from the base, not from lane to lane
    CHECK(addresses(k.warp(), r, 0xf) == expected);
  }
}

TEST_CASE("mode 2 with one lane has no delta", "[addresses]") {
  for (const char* list : {"2 0x1000", "2 0x1000 0"}) {
    const Kernel k = read_load("00000100", list);
    CHECK(k.warp().refs[0].kind == Kind::kStride);
    CHECK(addresses(k.warp(), k.warp().refs[0], 0x100) == Addresses{0x1000});
  }
}

TEST_CASE("mode 2 lists that are regular become strides", "[addresses]") {
  const Kernel k = read_load("00000505", "2 0x1000 8 8 8 0");
  CHECK(k.warp().refs[0].kind == Kind::kStride);
  CHECK(k.warp().refs[0].stride == 8);
  CHECK(addresses(k.warp(), k.warp().refs[0], 0x505) == Addresses{0x1000, 0x1008, 0x1010, 0x1018});
}

TEST_CASE("deltas beyond 32 bits, step by step or in sum, become full lists", "[addresses]") {
  CHECK(load_addresses("00000007", "2 0x1000 1099511627776 -1099511627776") ==
        Addresses{0x1000, 0x10000001000, 0x1000});
  const Kernel k = read_load("00000007", "2 0x0 2147483647 2147483646");
  CHECK(k.warp().refs[0].kind == Kind::kFull);
  CHECK(addresses(k.warp(), k.warp().refs[0], 7) == Addresses{0, 0x7fffffff, 0xfffffffd});
  CHECK(load_addresses("00000003", "2 0xffffffffffffffff 1") == Addresses{~uint64_t{0}, 0});
}

TEST_CASE("a memory instruction without addresses has empty references", "[addresses]") {
  const Kernel k =
      read(trace({"0010 ffffffff 1 R2 LDG.E 1 R4 0", "0020 000000ff 0 STG.E 2 R6 R2 0 0"}), kSide);
  REQUIRE(k.warp().refs.size() == 2);
  CHECK(k.warp().refs[0].kind == Kind::kNone);
  CHECK(k.warp().refs[1].kind == Kind::kNone);
}

TEST_CASE("a mask of zero carries no addresses, whatever is written behind it", "[addresses]") {
  for (const char* rest : {"4", "4 0", "4 1 0x0 0", "4 2 0x0 0", "0"}) {
    const Kernel k = read(trace({"0010 00000000 1 R2 LDG.E 1 R4 " + std::string(rest),
                                 "0010 00000001 1 R2 LDG.E 1 R4 4 2 0x40 0"}),
                          kSide);
    REQUIRE(k.warp().refs.size() == 1);
    CHECK(k.warp().refs[0].base == 0x40);
  }
}

TEST_CASE("tracer versions 3, 4 and 5 differ in the immediate", "[versions]") {
  for (const int version : {3, 4, 5}) {
    const std::string imm = version == 3 ? "" : " 0 ";
    HeaderOptions h;
    h.version = version;
    const Kernel k =
        read(trace({"0000 ffffffff 1 R1 MOV 0 0" + imm, "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x80 4" + imm,
                    "0010 0000000f 1 R2 LDG.E 1 R4 4 2 0x80 4 8 4" + imm, "0030 ffffffff 0 EXIT 0 0" + imm},
                   h),
             kSide);
    CHECK(k.warp().instructions == 4);
    CHECK(k.warp().refs.size() == 2);
    CHECK(addresses(k.warp(), k.warp().refs[1], 0xf) == Addresses{0x80, 0x84, 0x8c, 0x90});
  }
}

TEST_CASE("with lineinfo a source line precedes the program counter", "[versions]") {
  HeaderOptions h;
  h.more = "-enable lineinfo = 1\n";
  const std::string text =
      trace({"12 0000 ffffffff 1 R1 MOV 0 0", "13 0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x80 4",
             "12 0000 ffffffff 1 R1 MOV 0 0", "14 0000 ffffffff 1 R1 MOV 0 0"},
            h);
  for (const auto& side_text : {std::optional<std::string>(kSide), std::optional<std::string>()}) {
    const Kernel k = read(text, side_text);
    CHECK(k.warp().instructions == 4);
    CHECK(k.warp().runs.size() == 3);
    CHECK(k.warp().refs.at(0).base == 0x80);
    REQUIRE(k.image.source);
    // The first line that comes with an instruction counts; those that were not executed have none.
    CHECK(k.image.source_text(0) == "line 12");
    CHECK(k.image.source_text(1) == "line 13");
    CHECK(k.image.source->lines.size() == k.image.code.size());
    if (side_text) {
      CHECK(k.image.source_text(2).empty());
    }
  }
  const std::string lines =
      "# function k base 0\n//## File \"/a/b.cu\", line 5\n0000 000000000000794d 000fea0003800000 EXIT ;\n";
  // What the side file says stands: it knows the file.
  CHECK(read(trace({"12 0000 ffffffff 0 EXIT 0 0"}, h), lines).image.source_text(0) == "b.cu:5");
  CHECK_FALSE(read(trace({"0000 ffffffff 0 EXIT 0 0"})).image.source);
  CHECK(error_of([&] { read(trace({"4294967296 0000 ffffffff 0 EXIT 0 0"}, h)); }).find("bad source line") !=
        std::string::npos);
}

TEST_CASE("blocks keep the order of the file", "[blocks]") {
  HeaderOptions h;
  h.grid = "(2,2,1)";
  std::string text = header(h);
  for (const char* index : {"1,1,0", "0,0,0", "0,1,0", "1,0,0"}) {
    text += block(index, warp(0, {"0030 ffffffff 0 EXIT 0 0"}));
  }
  const Kernel k = read(text, kSide);
  REQUIRE(k.blocks.size() == 4);
  CHECK(k.blocks[0].index == isa::Dim3{1, 1, 0});
  CHECK(k.blocks[3].index == isa::Dim3{1, 0, 0});
  for (uint64_t i = 0; i < 4; ++i) {
    CHECK(k.blocks[i].linear == i);
  }
}

TEST_CASE("warps are stored by index, empty ones too", "[blocks]") {
  HeaderOptions h;
  h.block = "(96,1,1)";
  const std::string exit = "0030 ffffffff 0 EXIT 0 0";
  const Kernel k =
      read(header(h) + block("0,0,0", warp(2, {exit, exit}) + warp(0, {}) + "\n" + warp(1, {exit})), kSide);
  REQUIRE(k.blocks[0].warps.size() == 3);
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK(k.warp(0, i).warp == i);
    CHECK(k.warp(0, i).instructions == i);
  }
}

TEST_CASE("a partial last warp counts", "[blocks]") {
  HeaderOptions h;
  h.block = "(33,1,1)";
  CHECK(read(header(h) + block("0,0,0", warp(0, {}) + warp(1, {})), kSide).blocks[0].warps.size() == 2);
}

TEST_CASE("next() reuses a block and goes on returning false", "[blocks]") {
  const std::string text = trace({"0030 ffffffff 0 EXIT 0 0"}) + "\n\n# the end\n";
  const auto source = open_trace(TraceInMemory{"t", text, kSide, std::nullopt});
  isa::BlockTrace b;
  b.warps.resize(5);
  b.warps[0].refs.resize(7);
  CHECK(source->next(b));
  CHECK(b.warps.size() == 1);
  CHECK(b.warps[0].refs.empty());
  CHECK_FALSE(source->next(b));
  CHECK_FALSE(source->next(b));
}

TEST_CASE("line ends, blanks and a missing last newline do not matter", "[text]") {
  std::string text = trace({"0000 ffffffff 1 R1 MOV 0 0", "0000  ffffffff\t1 R1 MOV 0   0 ",
                            "0 ffffffff 1 R1 MOV 0 0", "0x0010 0xff 1 R2 LDG.E 1 R4 4  1  0x80  4  "});
  const Kernel lf = read(text, kSide);
  std::string crlf;
  for (const char c : text) {
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  crlf.resize(crlf.size() - 2);
  const Kernel other = read(crlf, kSide);
  for (const Kernel* k : {&lf, &other}) {
    CHECK(k->warp().instructions == 4);
    CHECK(k->warp().refs.at(0).stride == 4);
    CHECK(k->warp().runs.back().mask == 0xff);
  }
}

TEST_CASE("the same instruction may be printed in several ways", "[text]") {
  // Exercises the comparison with the last text: new mask, new text, longer mem_width, text that is too long
  // to keep.
  const std::string many = " 16 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16";
  const Kernel k =
      read(trace({"0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x80 4", "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x80 4",
                  "0010 f 1 R2 LDG.E 1 R4 4 1 0x80 4", "0010 0000000f 1 R2 LDG.E 1 R4 48 1 0x80 4",
                  "0010 0000000f" + many + " LDG.E" + many + " 4 1 0x80 4",
                  "0010 0000000f" + many + " LDG.E" + many + " 4 1 0x80 4"}),
           kSide);
  REQUIRE(k.warp().refs.size() == 6);
  for (const isa::MemRef& r : k.warp().refs) {
    CHECK(r.base == 0x80);
  }
}

TEST_CASE("without a side file the code is what was executed", "[no_side]") {
  const Kernel k = read(trace({"0020 ffffffff 1 R1 MOV 0 0", "0100 ffffffff 1 R2 LDG.E.64 1 R4 8 1 0x80 8",
                               "0010 ffffffff 1 R3 IADD3 2 R2 R255 0", "0020 ffffffff 1 R1 MOV 0 0",
                               "0100 00000000 1 R2 LDG.E.64 1 R4 8 0"}));
  REQUIRE(k.image.code.size() == 3);
  CHECK(k.image.code[0].pc == 0x10);
  CHECK(k.image.code[1].pc == 0x20);
  CHECK(k.image.code[2].pc == 0x100);
  CHECK(k.image.opcodes.at(k.image.code[2].opcode) == "LDG.E.64");
  CHECK(k.image.text.at(0) == "IADD3 R3, R2, RZ");
  CHECK_FALSE(k.image.has_control);
  const isa::WarpTrace& w = k.warp();
  REQUIRE(w.refs.size() == 1);
  CHECK(w.refs[0].stride == 8);
  REQUIRE(w.runs.size() == 3);
  CHECK(w.runs[0].first == 1);
  CHECK(w.runs[0].count == 2);
  CHECK(w.runs[1].first == 0);
}

TEST_CASE("trace, side and extra files are found beside each other, compressed or not", "[files]") {
  const TempDir dir;
  const std::string text = trace({"0010 00000001 1 R2 LDG.E 1 R4 4 2 0x80 0", "0030 ffffffff 0 EXIT 0 0"});
  dir.write("kernel-1.traceg.xz", xz(text));
  dir.write("kernel-1.sass", kSide);
  dir.write("kernel-2.traceg.gz", gzip(text));
  dir.write("kernel-2.sass.zst", zstd(kSide));
  dir.write("kernel-3.traceg.zst", zstd(text));
  CHECK(read_all(*open_trace(dir.path() / "kernel-1.traceg.xz")).image.code.size() == 4);
  CHECK(read_all(*open_trace(dir.path() / "kernel-2.traceg.gz")).image.code.size() == 4);
  CHECK(read_all(*open_trace(dir.path() / "kernel-3.traceg.zst")).image.code.size() == 2);
  OpenOptions o;
  o.side = Companion::kIgnored;
  CHECK(read_all(*open_trace(dir.path() / "kernel-1.traceg.xz", o)).image.code.size() == 2);
  o.side = Companion::kIfPresent;
  o.side_file = dir.path() / "kernel-1.sass";
  CHECK(read_all(*open_trace(dir.path() / "kernel-3.traceg.zst", o)).image.code.size() == 4);
  o = {};
  o.side = Companion::kRequired;
  CHECK(error_of([&] {
          open_trace(dir.path() / "kernel-3.traceg.zst", o);
        }).find("kernel-3.sass: no such side file") != std::string::npos);
  o = {};
  o.extra = Companion::kRequired;
  CHECK(error_of([&] { open_trace(dir.path() / "kernel-1.traceg.xz", o); }).find("kernel-1.extra: no such") !=
        std::string::npos);
}

TEST_CASE("the cluster size can be given", "[files]") {
  const TempDir dir;
  HeaderOptions h;
  h.grid = "(2,1,1)";
  const auto file =
      dir.write("k.traceg", header(h) + block("0,0,0", warp(0, {})) + block("1,0,0", warp(0, {})));
  OpenOptions o;
  o.cluster = isa::Dim3{2, 1, 1};
  CHECK(open_trace(file, o)->image().shape.cluster == isa::Dim3{2, 1, 1});
  o.cluster = isa::Dim3{4, 1, 1};
  CHECK(error_of([&] { open_trace(file, o); }).find("k.traceg: cluster (4,1,1)") != std::string::npos);
}

TEST_CASE("a long trace crosses many buffers", "[text]") {
  std::vector<std::string> lines;
  for (int i = 0; i < 20000; ++i) {
    lines.push_back("0000 ffffffff 1 R1 MOV 0 0");
    lines.push_back("0010 00000007 1 R2 LDG.E 1 R4 4 2 0x1000 " + std::to_string(i) + " 4 0");
  }
  const std::string text = trace(lines);
  const Kernel k = read(text, kSide);
  CHECK(k.warp().instructions == 40000);
  CHECK(k.warp().refs.size() == 20000);
  CHECK(addresses(k.warp(), k.warp().refs[19999], 7) == Addresses{0x1000, 0x1000 + 19999, 0x1000 + 20003});
  CHECK(read(zstd(text, 27), kSide).warp().refs.size() == 20000);
}

}  // namespace
}  // namespace heddle::accelsim::test
