// Fat binaries of nvcc's: the same images however they are stored, and damaged ones.
#include "frontends/cubin/fatbin/fatbin.h"

#include <catch2/catch.hpp>

#include "frontends/cubin/fatbin/decompress.h"
#include "frontends/input/limits.h"
#include "tests/cubin/object_case.h"

namespace heddle::cubin::test {
namespace {

using Catch::Contains;
using Kind = Image::Kind;

std::string error_of_images(const Bytes& bytes) {
  return error_of([&] { images_of("f", bytes); });
}

std::string error_of_lz4(const Bytes& in, uint64_t bytes) {
  return error_of([&] { decompressed(Compression::kLz4, in, bytes, "f"); });
}

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("compressed and uncompressed images are the same") {
  const auto plain = images_of("f", data("saxpy.none.fatbin"));
  REQUIRE(plain.size() == 3);
  CHECK(plain[0].target() == "sm_75");
  CHECK(plain[1].target() == "sm_90");
  CHECK(plain[2].target() == "compute_90");
  CHECK(plain[0].at == 80);
  CHECK_THAT(std::string(plain[2].bytes.begin(), plain[2].bytes.end()), Contains(".target sm_90"));
  CHECK(plain[2].bytes.back() != 0);
  for (const char* name : {"saxpy.zstd.fatbin", "saxpy.lz4.fatbin"}) {
    const auto packed = images_of("f", data(name));
    REQUIRE(packed.size() == plain.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      CAPTURE(name, i);
      CHECK(packed[i].compressed);
      CHECK_FALSE(plain[i].compressed);
      CHECK(packed[i].bytes == plain[i].bytes);
      CHECK(packed[i].kind == plain[i].kind);
      CHECK(packed[i].target() == plain[i].target());
    }
  }
  const Object o = object_of("f", plain[1]);
  REQUIRE(o.find("saxpy") != nullptr);
  CHECK(o.find("saxpy")->registers == 10);
  CHECK(o.find("saxpy")->parameters.size() == 4);
}

TEST_CASE("images of an object file, a cubin, PTX") {
  const auto object = images_of("f", data("saxpy.o"));
  REQUIRE(object.size() == 2);
  CHECK(object[0].kind == Kind::kCubin);
  CHECK(object[1].kind == Kind::kPtx);
  CHECK(object_of("f", object[0]).find("saxpy") != nullptr);

  const auto cubin = images_of("f", data("parts.cubin"));
  REQUIRE(cubin.size() == 1);
  CHECK(cubin[0].kind == Kind::kCubin);
  CHECK(cubin[0].capability == 90);
  CHECK(cubin[0].bytes == data("parts.cubin"));

  const auto ptx = images_of("f", contents("tests/exec/data/saxpy.ptx"));
  REQUIRE(ptx.size() == 1);
  CHECK(ptx[0].target() == "compute_90");
  CHECK(images_of("f", bytes_of("/* a */ // b\n.version 8.0\n.target sm_90a")).at(0).target() ==
        "compute_90a");
}

TEST_CASE("fat binaries behind one another, with zeros between them") {
  Bytes two = data("saxpy.zstd.fatbin");
  two.resize(two.size() + 8);
  const Bytes more = data("saxpy.lz4.fatbin");
  two.insert(two.end(), more.begin(), more.end());
  CHECK(images_of("f", two).size() == 6);
}

TEST_CASE("a file that ends early is an error, wherever it ends") {
  for (const char* name : {"saxpy.none.fatbin", "saxpy.zstd.fatbin", "saxpy.lz4.fatbin", "saxpy.o"}) {
    const Bytes all = data(name);
    REQUIRE(all.size() > 2000);
    for (size_t n = 0; n < all.size(); ++n) {
      const std::string said =
          error_of_images(Bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)));
      if (!Contains("f: byte ").match(said)) {
        CAPTURE(name, n, said);
        FAIL_CHECK("not refused");
      }
    }
  }
}

TEST_CASE("damaged fat binaries") {
  const Bytes good = data("saxpy.zstd.fatbin");
  const auto with = [&](uint64_t at, auto value) {
    Bytes bad = good;
    put(bad, at, value);
    return error_of_images(bad);
  };
  constexpr uint64_t kEntry = 16;
  CHECK_THAT(with(4, uint16_t{2}), Contains("f: byte 4: a fat binary of version 2 (legal: 1)"));
  CHECK_THAT(with(6, uint16_t{8}), Contains("legal: from 16 on"));
  CHECK_THAT(with(8, uint64_t{1} << 40), Contains("f: byte 16: a fat binary of 1099511627776 bytes"));
  CHECK_THAT(with(kEntry + 4, uint32_t{32}), Contains("legal: from 64 on"));
  CHECK_THAT(with(kEntry + 8, ~uint64_t{0}), Contains("an image of 18446744073709551615 bytes"));
  CHECK_THAT(with(kEntry + 16, uint32_t{4000}), Contains("4000 compressed bytes in an image of 856"));
  CHECK_THAT(with(kEntry + 32, uint64_t{0xffffffff00000040}), Contains("an identifier"));
  CHECK_THAT(with(kEntry + 40, uint64_t{0xa011}), Contains("two kinds of compression"));
  CHECK_THAT(with(kEntry + 40, uint64_t{0x11}), Contains("f: byte 80: an image of machine code that is not"));
  CHECK_THAT(with(kEntry + 56, uint64_t{1} << 40), Contains("section_bytes"));
  CHECK_THAT(with(kEntry + 56, uint64_t{3113}), Contains("3112 bytes come out of zstd data (legal: 3113)"));
  CHECK_THAT(with(80, uint32_t{0}), Contains("corrupt zstd data"));
  CHECK_THAT(error_of_images({}), Contains("no code for a GPU"));
  CHECK_THAT(error_of_images(Bytes(good.begin(), good.begin() + 4)), Contains("header of a fat binary"));
}

TEST_CASE("limits of images") {
  const input::ScopedLimits less("section_bytes=4000");
  CHECK_THAT(error_of_images(data("saxpy.zstd.fatbin")),
             Contains("6952 bytes up to here (legal: up to 4000"));
  size_t images = 0;
  for_images("f", data("saxpy.zstd.fatbin"), [&](Image&&) { ++images; });
  CHECK(images == 3);
  CHECK_THAT(error_of_images(data("parts.cubin")), Contains("section_bytes"));
  const input::ScopedLimits lesser("expansion=2");
  CHECK_THAT(error_of_images(data("saxpy.zstd.fatbin")), Contains("849 bytes become 3112"));
}

TEST_CASE("LZ4 blocks") {
  // One literal, 7 times again; the last sequence has two literals.
  const Bytes good = {0x13, 'a', 1, 0, 0x20, 'b', 'c'};
  CHECK(decompressed(Compression::kLz4, good, 10, "f") == bytes_of("aaaaaaaabc"));
  // 15 + 255 + 0 literals.
  Bytes longer = {0xf0, 255, 0};
  longer.resize(3 + 270, 'x');
  CHECK(decompressed(Compression::kLz4, longer, 270, "f") == Bytes(270, 'x'));
  CHECK_THAT(error_of_lz4(good, 9), Contains("more than 9 bytes"));
  CHECK_THAT(error_of_lz4(good, 11), Contains("10 bytes come out of LZ4 data (legal: 11)"));
  CHECK_THAT(error_of_lz4({}, 1), Contains("LZ4 data end"));
  CHECK_THAT(error_of_lz4({0x13, 'a', 2, 0, 0}, 8), Contains("a match 2 bytes back (legal: 1 to 1)"));
  CHECK_THAT(error_of_lz4({0x13, 'a', 0, 0, 0}, 8), Contains("a match 0 bytes back"));
  CHECK_THAT(error_of_lz4({0x30, 'a'}, 3), Contains("3 literals"));
}

}  // namespace heddle::cubin::test
