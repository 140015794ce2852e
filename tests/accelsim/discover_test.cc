#include "frontends/accelsim/discover.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

TEST_CASE("a list holds kernels and copies in order", "[kernelslist]") {
  const KernelsList l = parse_kernelslist(
      "# a comment\n\nMemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\r\n"
      "MemcpyHtoD, 7F00 , 16\nkernel-2.traceg.xz\n",
      "l.g");
  REQUIRE(l.entries.size() == 4);
  CHECK(l.entries[0].kind == ListEntry::Kind::kMemcpyHtoD);
  CHECK(l.entries[0].copy.address == 0x7f0000000000);
  CHECK(l.entries[0].copy.bytes == 4096);
  CHECK(l.entries[0].copy.line == 3);
  CHECK(l.entries[1].trace == "kernel-1.traceg");
  CHECK(l.entries[2].copy.address == 0x7f00);
  CHECK(l.entries[3].line == 6);
  CHECK(l.ignored_lines == 0);
}

TEST_CASE("lines that are neither are counted and reported", "[kernelslist]") {
  std::string text = "MemcpyDtoH,0x10,4\nkernel-1.traceg\n";
  for (int i = 0; i < 30; ++i) {
    text += "ncclAllReduce\n";
  }
  const KernelsList l = parse_kernelslist(text, "l.g");
  CHECK(l.entries.size() == 1);
  CHECK(l.ignored_lines == 31);
  REQUIRE(l.warnings.size() == 20);
  CHECK_THAT(l.warnings[0], Catch::StartsWith("l.g:1: ignored 'MemcpyDtoH,0x10,4'"));
}

TEST_CASE("malformed copies are errors", "[kernelslist][malformed]") {
  for (const char* line :
       {"MemcpyHtoD", "MemcpyHtoD,0x10", "MemcpyHtoD,,4", "MemcpyHtoD,0x10,", "MemcpyHtoD,0x10,-4",
        "MemcpyHtoD,0xzz,4", "MemcpyHtoD,0x10,4,5", "MemcpyHtoD,0x10,18446744073709551616",
        "MemcpyHtoD,0xffffffffffffffff,2", "MemcpyHtoD 0x10 4"}) {
    const std::string message = error_of([&] { parse_kernelslist(std::string("\n") + line + "\n", "l.g"); });
    CAPTURE(line);
    CHECK_THAT(message,
               Catch::StartsWith("l.g:2: ") && Catch::Contains("legal: MemcpyHtoD,0x<hexadecimal address>"));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("kernel files are found with any compression suffix", "[kernelslist]") {
  const TempDir dir;
  dir.write("kernel-1.traceg.zst", "x");
  dir.write("kernel-2.traceg", "x");
  dir.write("kernel-3.traceg.gz", "x");
  dir.write("kernel-4.traceg", "x");
  dir.write("kernel-4.traceg.xz", "x");
  const auto list = dir.write(
      "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg.xz\nkernel-3.traceg.zst\nkernel-4.traceg.xz\n");
  const KernelsList l = read_kernelslist(list);
  REQUIRE(l.entries.size() == 4);
  CHECK(l.entries[0].trace.filename() == "kernel-1.traceg.zst");
  CHECK(l.entries[1].trace.filename() == "kernel-2.traceg");
  CHECK(l.entries[2].trace.filename() == "kernel-3.traceg.gz");
  CHECK(l.entries[3].trace.filename() == "kernel-4.traceg.xz");
}

TEST_CASE("a byte-order mark is no part of the first line", "[kernelslist]") {
  const KernelsList l = parse_kernelslist("\xef\xbb\xbfkernel-1.traceg\n", "l.g");
  REQUIRE(l.entries.size() == 1);
  CHECK(l.entries[0].trace == "kernel-1.traceg");
  CHECK(l.ignored_lines == 0);
  CHECK(read("\xef\xbb\xbf" + trace({"0000 ffffffff 0 EXIT 0 0"}), "\xef\xbb\xbf" + side({"EXIT"}))
            .blocks.size() == 1);
}

TEST_CASE("names that leave the list's folder or hold control characters", "[kernelslist][malformed]") {
  using namespace std::string_literals;
  for (const std::string& name :
       {"kernel-x/../../f"s, "kernel/.."s, "kernel\0-1.traceg"s, "kernel\x1b[2J"s}) {
    const std::string message = error_of([&] { parse_kernelslist("\n" + name + "\n", "l.g"); });
    CHECK_THAT(message, Catch::StartsWith("l.g:2: 'kernel") &&
                            Catch::Contains("(legal: the name of a file in the list's folder"));
  }
  CHECK(parse_kernelslist("kernel-1..traceg\nkernel/a/b.traceg\n", "l.g").entries.size() == 2);
}

TEST_CASE("what is not a regular file is said to be that", "[discover][malformed]") {
  const TempDir dir;
  const auto pipe = dir.path() / "kernel-1.traceg", list = dir.path() / "kernelslist.g";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(error_of([&] { open_trace(pipe); }) == pipe.string() + ": is a pipe (legal: a regular file)");
  dir.write("kernel-2.traceg", trace({"0000 ffffffff 0 EXIT 0 0"}));
  REQUIRE(mkfifo((dir.path() / "kernel-2.sass").c_str(), 0600) == 0);
  CHECK_THAT(error_of([&] { open_trace(dir.path() / "kernel-2.traceg"); }),
             Catch::Contains("kernel-2.sass: is a pipe"));
  REQUIRE(mkfifo(list.c_str(), 0600) == 0);
  CHECK_THAT(error_of([&] { discover(dir.path()); }), Catch::Contains("kernelslist.g: is a pipe"));
}

TEST_CASE("a missing kernel file is an error at its line", "[kernelslist][malformed]") {
  const TempDir dir;
  dir.write("kernel-1.traceg", "x");
  const auto list = dir.write("kernelslist.g", "kernel-1.traceg\n\nkernel-2.traceg\n");
  CHECK_THAT(error_of([&] { read_kernelslist(list); }),
             Catch::StartsWith(list.string() + ":3: 'kernel-2.traceg': no such file"));
  std::filesystem::create_directory(dir.path() / "kernel-2.traceg");
  CHECK_THAT(error_of([&] { read_kernelslist(list); }), Catch::Contains(":3: "));
}

TempDir& captures() {
  static TempDir dir;
  dir.write("set/b/kernelslist.g",
            "MemcpyHtoD,0x10,4\nkernel-1.traceg\nMemcpyHtoD,0x20,4\nMemcpyHtoD,0x30,4\nkernel-2.traceg\n");
  dir.write("set/b/kernel-1.traceg", "x");
  dir.write("set/b/kernel-2.traceg.zst", "x");
  dir.write("set/a/kernelslist.g", "kernel-7.traceg\nodd\n");
  dir.write("set/a/kernel-7.traceg", "x");
  dir.write("set/notes.txt", "x");
  dir.write("set/without/kernel-1.traceg", "x");
  return dir;
}

TEST_CASE("a capture is found by its directory and by its list", "[discover]") {
  const auto b = captures().path() / "set" / "b";
  for (const auto& path : {b, b / "", b / "kernelslist.g"}) {
    const std::vector<Launch> l = discover(path);
    REQUIRE(l.size() == 2);
    CHECK(l[0].trace == "b");
    CHECK(l[0].number == 1);
    CHECK(l[0].path.filename() == "kernel-1.traceg");
    REQUIRE(l[0].memcpys.size() == 1);
    CHECK(l[0].memcpys[0].address == 0x10);
    CHECK(l[1].number == 2);
    CHECK(l[1].path.filename() == "kernel-2.traceg.zst");
    CHECK(l[1].memcpys.size() == 2);
  }
}

TEST_CASE("a directory of captures is read in the order of names", "[discover]") {
  std::vector<std::string> warnings;
  const std::vector<Launch> l = discover(captures().path() / "set", &warnings);
  REQUIRE(l.size() == 3);
  CHECK(l[0].trace == "a");
  CHECK(l[1].trace == "b");
  CHECK(l[2].number == 2);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::Contains("a/kernelslist.g:2: ignored 'odd'"));
}

TEST_CASE("one trace file is one launch", "[discover]") {
  const std::vector<Launch> l = discover(captures().path() / "set" / "b" / "kernel-2.traceg.zst");
  REQUIRE(l.size() == 1);
  CHECK(l[0].trace == "b");
  CHECK(l[0].number == 1);
  CHECK(l[0].memcpys.empty());
}

TEST_CASE("nothing to find is an error that says what could be found", "[discover][malformed]") {
  const TempDir dir;
  dir.write("empty/readme.txt", "x");
  dir.write("copies/kernelslist.g", "MemcpyHtoD,0x10,4\n");
  dir.write("k.tracez", "x");
  const auto message = [&](const std::string& name) {
    return error_of([&] { discover(dir.path() / name); });
  };
  CHECK_THAT(message("none"),
             Catch::Contains("none: no such file or directory (legal: a directory with kernelslist.g"));
  CHECK_THAT(message("empty"), Catch::Contains("neither kernelslist.g nor directories with one (legal:"));
  CHECK_THAT(message("copies"), Catch::Contains("the list names no kernel"));
  CHECK_THAT(message(""), Catch::Contains("none of the 1 lists names a kernel"));
  CHECK_THAT(message("k.tracez"), Catch::Contains("k.tracez: not a trace (legal:"));
  CHECK_THAT(message("empty/readme.txt"), Catch::Contains("not a trace (legal:"));
  CHECK_THAT(message("none/kernel-1.traceg"), Catch::Contains("no such file"));
}

}  // namespace
}  // namespace heddle::accelsim::test
