// Outputs replace files of their own kind and nothing else, and leave nothing behind when they fail.
#include "frontends/output/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/base/error.h"
#include "tests/support/temp_dir.h"

namespace heddle::output {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using test::TempDir;

const FileKind kSvg = svg_picture();

std::string content(const fs::path& file) {
  std::stringstream s;
  s << std::ifstream(file).rdbuf();
  return s.str();
}

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("a new file appears when it is complete") {
  const TempDir dir;
  {
    OutputFile out(dir / "a.svg", kSvg, Replace::kSameKind);
    out.stream() << "<svg 1>";
    CHECK(!fs::exists(dir / "a.svg"));
    out.commit();
  }
  CHECK(content(dir / "a.svg") == "<svg 1>");
  CHECK(files_in(dir.path) == 1);
  { OutputFile abandoned(dir / "b.svg", kSvg, Replace::kSameKind); }
  CHECK(files_in(dir.path) == 1);
}

TEST_CASE("a file that appears meanwhile is not replaced") {
  const TempDir dir;
  OutputFile out(dir / "a.svg", kSvg, Replace::kSameKind);
  out.stream() << "<svg 1>";
  put(dir / "a.svg", "mine");
  CHECK_THROWS_WITH(out.commit(), Contains("a.svg: cannot be written: File exists"));
  CHECK(content(dir / "a.svg") == "mine");
}

TEST_CASE("files of the kind are replaced, others only on demand") {
  const TempDir dir;
  const fs::path f = dir / "a.svg";
  put(f, "<svg old>");
  write_file(f, kSvg, Replace::kSameKind, "<svg new>");
  CHECK(content(f) == "<svg new>");
  put(f, "");
  write_file(f, kSvg, Replace::kSameKind, "<svg new>");
  put(f, "SQLite format 3");
  CHECK_THROWS_WITH(write_file(f, kSvg, Replace::kSameKind, "<svg new>"),
                    Contains("a.svg: the file exists and is not an SVG picture (--force replaces it)"));
  CHECK(content(f) == "SQLite format 3");
  write_file(f, kSvg, Replace::kAny, "<svg new>");
  CHECK(content(f) == "<svg new>");
  CHECK(files_in(dir.path) == 1);
}

TEST_CASE("what is replaced keeps its permissions, and a link stays a link") {
  const TempDir dir;
  put(dir / "real.svg", "<svg old>");
  REQUIRE(chmod((dir / "real.svg").c_str(), 0600) == 0);
  fs::create_directory(dir / "sub");
  fs::create_symlink("../real.svg", dir / "sub" / "link.svg");
  write_file(dir / "sub" / "link.svg", kSvg, Replace::kSameKind, "<svg new>");
  CHECK(fs::is_symlink(dir / "sub" / "link.svg"));
  CHECK(content(dir / "real.svg") == "<svg new>");
  CHECK((fs::status(dir / "real.svg").permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  // A link to what is not there yet.
  fs::create_symlink("later.svg", dir / "early.svg");
  write_file(dir / "early.svg", kSvg, Replace::kSameKind, "<svg new>");
  CHECK(content(dir / "later.svg") == "<svg new>");
  fs::create_symlink("round.svg", dir / "round.svg");
  CHECK_THROWS_WITH(write_file(dir / "round.svg", kSvg, Replace::kSameKind, ""),
                    Contains("round.svg: cannot be written: "));
}

TEST_CASE("pipes and descriptors are written into") {
  const TempDir dir;
  REQUIRE(mkfifo((dir / "pipe").c_str(), 0600) == 0);
  const int reader = open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_file(dir / "pipe", kSvg, Replace::kAny, "<svg 1>");
  char got[16] = {};
  CHECK(read(reader, got, sizeof got) == 7);
  close(reader);
  CHECK(fs::is_fifo(dir / "pipe"));

  put(dir / "log", "before ");
  const int log = open((dir / "log").c_str(), O_WRONLY | O_APPEND);
  write_file("/dev/fd/" + std::to_string(log), kSvg, Replace::kSameKind, "<svg 1>");
  close(log);
  CHECK(content(dir / "log") == "before <svg 1>");
  CHECK(files_in(dir.path) == 2);
}

TEST_CASE("a device stays one") {
  if (!fs::is_character_file("/dev/full")) {
    return;
  }
  CHECK_THROWS_WITH(write_file("/dev/full", kSvg, Replace::kAny, "<svg 1>"),
                    Contains("/dev/full: cannot be written: No space left"));
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("places where nothing can be written") {
  const TempDir dir;
  CHECK_THROWS_WITH(write_file("", kSvg, Replace::kAny, ""), Contains("an empty name for an SVG picture"));
  CHECK_THROWS_WITH(write_file(dir.path, kSvg, Replace::kAny, ""), Contains("is a directory"));
  CHECK_THROWS_WITH(write_file(dir / "no" / "a.svg", kSvg, Replace::kAny, ""),
                    Contains("a.svg: cannot be written: No such file"));
}

TEST_CASE("a write that fails leaves the old file and no other") {
  const TempDir dir;
  put(dir / "a.svg", "<svg old>");
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit little{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
  std::string message;
  try {
    write_file(dir / "a.svg", kSvg, Replace::kSameKind, "<svg " + std::string(200'000, 'x'));
  } catch (const Error& e) {
    message = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(message, Contains("a.svg: cannot be written: File too large"));
  CHECK(content(dir / "a.svg") == "<svg old>");
  CHECK(files_in(dir.path) == 1);
}

TEST_CASE("names of temporary files cannot be foreseen or prepared") {
  const TempDir dir;
  // A random name holds the digits of a short process number now and then; not each of 16 does.
  const std::string process = std::to_string(getpid());
  std::set<std::string> names;
  size_t with_process = 0;
  for (int i = 0; i < 16; ++i) {
    const Temporary file(dir / "a", dir / "a");
    const std::string name = file.path().filename().string();
    names.insert(name);
    with_process += name.find(process) != std::string::npos;
  }
  CHECK(names.size() == 16);
  CHECK(with_process < 16);
}

TEST_CASE("lists that import wrote, and others") {
  const FileKind list = native_list();
  CHECK(list.is("MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.heddle\n"));
  CHECK(list.is("kernel-1.heddle"));
  CHECK(!list.is("kernel-1.traceg\n"));
  CHECK(!list.is("# by hand\nkernel-1.heddle\n"));
  std::string text;
  while (text.size() < kHeadBytes) {
    text += "kernel-1.heddle\n";
  }
  text.resize(kHeadBytes - 3);
  CHECK(list.is(text + "abc"));
}

}  // namespace
}  // namespace heddle::output
