// What all readers of files share: budgets, printable names, regular files.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "frontends/input/limits.h"
#include "frontends/input/out_of_memory.h"
#include "frontends/input/printable.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"
#include "tests/support/temp_dir.h"

namespace heddle::input {
namespace {

using namespace std::string_literals;

TEST_CASE("limits are changed by name", "[limits]") {
  const uint64_t usual = limits().list_entries.value;
  {
    const ScopedLimits some("block_bytes=4G,list_entries=7,,line_bytes=2K");
    CHECK(limits().block_bytes.value == uint64_t{4} << 30);
    CHECK(limits().list_entries.value == 7);
    CHECK(limits().line_bytes.value == 2048);
    CHECK(limits().list_entries.legal() == "up to 7; HEDDLE_LIMITS=list_entries=N changes that");
    const ScopedLimits more("list_entries=18446744073709551615");
    CHECK(limits().list_entries.value == UINT64_MAX);
    CHECK(limits().line_bytes.value == 2048);
  }
  CHECK(limits().list_entries.value == usual);
  Limits names;
  for (Limit* l : names.all()) {
    const ScopedLimits one(l->name + "=3"s);
    Limits now = limits();
    for (const Limit* n : now.all()) {
      CHECK((n->value == 3) == (n->name == std::string_view(l->name)));
    }
  }
}

TEST_CASE("settings that cannot be read are errors", "[limits]") {
  CHECK_THROWS_WITH(ScopedLimits("block=4"),
                    Catch::StartsWith("HEDDLE_LIMITS: no limit 'block' (legal: name_bytes, "));
  for (const char* bad :
       {"name_bytes", "name_bytes=", "name_bytes=-1", "name_bytes=4k", "name_bytes=4GB",
        "name_bytes=18446744073709551616", "name_bytes=18446744073709551615K", "name_bytes=1 "}) {
    CHECK_THROWS_WITH(ScopedLimits(bad), Catch::StartsWith("HEDDLE_LIMITS: "s + bad + " (legal: NAME=N"));
  }
  CHECK(limits().name_bytes.value == Limits().name_bytes.value);
}

TEST_CASE("nothing in a printable text acts on a terminal", "[printable]") {
  CHECK(printable("f<int>(a, b)") == "f<int>(a, b)");
  CHECK(printable("gr\xc3\xb6\xc3\x9f"
                  "e \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "gr\xc3\xb6\xc3\x9f"
        "e \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(printable("a\x1b[2J\a\0b\x7f\r\n\t"s) == "a\\x1b[2J\\x07\\x00b\\x7f\\x0d\\x0a\\x09");
  CHECK(printable("\xc2\x9b"
                  "2J \x9b \xc3 \xe2\x82") == "\\xc2\\x9b2J \\x9b \\xc3 \\xe2\\x82");
  CHECK(printable_lines("a\tb\nc\x1b\r\n") == "a\tb\nc\\x1b\\x0d\n");
}

std::string message_of(const std::filesystem::path& file, const Limit& most) {
  try {
    read_regular_file(file, most);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("only regular files are read", "[regular_file]") {
  const test::TempDir dir;
  const Limit most = {"text_bytes", 10};
  std::ofstream(dir / "f") << "0123456789";
  CHECK(read_regular_file(dir / "f", most) == "0123456789");
  CHECK(why_not_regular(dir / "f").empty());
  std::ofstream(dir / "f", std::ios::app) << "x";
  CHECK(message_of(dir / "f", most) ==
        (dir / "f").string() + ": 11 bytes (legal: up to 10; HEDDLE_LIMITS=text_bytes=N changes that)");
  REQUIRE(mkfifo((dir / "pipe").c_str(), 0600) == 0);
  CHECK(message_of(dir / "pipe", most) == (dir / "pipe").string() + ": is a pipe (legal: a regular file)");
  CHECK(message_of(dir / "none", most) ==
        (dir / "none").string() + ": cannot be read: No such file or directory");
  CHECK(message_of(dir.path, most) == dir.path.string() + ": is a directory (legal: a regular file)");
  CHECK(message_of("/dev/null", most) == "/dev/null: is a device (legal: a regular file)");
  CHECK(why_not_regular(dir / "none") == "no such file");
  CHECK(why_not_regular(dir / "pipe") == "is a pipe");
  CHECK(why_not_regular(dir.path) == "is a directory");
}

TEST_CASE("memory that runs out names the file", "[out_of_memory]") {
  const auto fails = []() -> int { throw std::bad_alloc(); };
  CHECK_THROWS_WITH(naming("f", fails), "f: out of memory");
  CHECK_THROWS_WITH(naming("outer", [&] { return naming("f:7", fails); }), "f:7: out of memory");
  CHECK(naming("f", [] { return 7; }) == 7);
}

}  // namespace
}  // namespace heddle::input
