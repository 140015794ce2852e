// Textures and surfaces by hand: handles, shapes, address modes, filters, errors. tests/exec/oracle/texture
// holds all of it against an H200.
#include <catch2/catch.hpp>

#include <bit>
#include <numeric>

#include "tests/exec/texture_case.h"

namespace heddle::exec::test {
namespace {

using namespace texture;

// Of the picture 10 to 21, four wide.
float at(float x, float y, const Sampler& s) {
  Case c(kernel(kFetch));
  Descriptor d = made(c.memory, texture::Kind::kTexture, kPicture, picture());
  d.sampler = s;
  const Fetched f = run(c, make(c.memory, d), x, y);
  CHECK(f.error.empty());
  return f.f();
}

}  // namespace

TEST_CASE("the nearest element, inside and outside") {
  Sampler s;
  CHECK(at(2.5, 1.0, s) == 16);
  CHECK(at(-5, 2.9F, s) == 18);  // clamp
  CHECK(at(100, 100, s) == 21);
  s.address.fill(AddressMode::kBorder);
  s.border[0] = 0.5;
  CHECK(at(4, 1, s) == 0.5);
  CHECK(at(3.9F, 1, s) == 17);
  s.normalized = true;
  s.address.fill(AddressMode::kWrap);
  CHECK(at(1.3F, -0.1F, s) == 19);
  s.address.fill(AddressMode::kMirror);
  CHECK(at(1.1F, 0.1F, s) == 13);
}

TEST_CASE("a linear filter has weights of 256ths") {
  Sampler s;
  s.linear = true;
  CHECK(at(1.5, 1.5, s) == 15);
  CHECK(at(2, 1.5, s) == 15.5);
  CHECK(at(2, 2, s) == 17.5);
  CHECK(at(1.5F + 1.0F / 256, 0.5, s) == 11 + 1.0F / 256);
  CHECK(at(1.5F + 1.0F / 1024, 0.5, s) == 11);  // a quarter of a 256th
  CHECK(at(-1, 0.5, s) == 10);
}

TEST_CASE("integers, channels, whole coordinates") {
  const Image i{.element = Element::kS16, .channels = 2, .width = 3, .height = 1};
  Case c(kernel("tex.2d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%rd1, {%r8, %r9}];"));
  const Descriptor d = made(c.memory, texture::Kind::kTexture, i, std::vector<int16_t>{1, 2, -3, 4, 5, 6});
  const uint64_t t = make(c.memory, d);
  CHECK(run(c, t, 1, 0).words == std::vector<uint32_t>{0xfffffffd, 4, 0, 0});
  CHECK(run(c, t, 3, 0).words == std::vector<uint32_t>{0, 0, 0, 0});  // outside
}

TEST_CASE("a buffer, as tex1Dfetch reads it") {
  Case c(kernel("tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%rd1, {%r8}];"));
  Descriptor d;
  d.kind = texture::Kind::kTexture;
  d.image = {
      .geometry = Geometry::k1d, .storage = Storage::kBuffer, .width = 12, .data = c.buffer(picture())};
  const uint64_t t = make(c.memory, d);
  CHECK(run(c, t, 11, 0).f() == 21);
  CHECK(run(c, t, -1, 0).f() == 0);
}

TEST_CASE("four elements at once, and a layer") {
  Case c(kernel("tld4.r.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%r9, %f1, %f1, %f1}];"));
  Image i = kPicture;
  i.height = 2;
  i.width = 2;
  i.layered = true;
  i.layers = 3;
  const Descriptor d = made(c.memory, texture::Kind::kTexture, i, picture());
  const Fetched f = run(c, make(c.memory, d), 1, 1);  // the second layer
  CHECK(f.f(0) == 16);
  CHECK(f.f(1) == 17);
  CHECK(f.f(2) == 15);
  CHECK(f.f(3) == 14);
}

TEST_CASE("C56: a gather of the third component, and where 8 bits of fraction are the next element") {
  Case c(kernel("tld4.b.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%f1, %f2}];"));
  // The guide's texels in the order of the answer: lower left, lower right, upper right, upper left.
  const Image four{.element = Element::kU8, .channels = 4, .width = 2, .height = 2};
  const Descriptor d = made(c.memory, texture::Kind::kTexture, four,
                            std::vector<uint8_t>{255, 22, 30, 250, 255, 16, 37, 253,    // the upper row
                                                 255, 20, 31, 255, 255, 25, 29, 254});  // the lower one
  CHECK(run(c, make(c.memory, d), 1, 1).words == std::vector<uint32_t>{31, 29, 37, 30});

  const Image row{.element = Element::kU8, .channels = 4, .width = 4, .height = 1};
  std::vector<uint8_t> numbers(16);
  for (uint8_t i = 0; i < 4; ++i) {
    numbers[4U * i + 2] = i;
  }
  const uint64_t t = make(c.memory, made(c.memory, texture::Kind::kTexture, row, numbers));
  CHECK(run(c, t, 2.49805F, 0.5).words == std::vector<uint32_t>{2, 3, 3, 2});
  CHECK(run(c, t, 2.49F, 0.5).words == std::vector<uint32_t>{1, 2, 2, 1});
}

TEST_CASE("C57: element 2 * 6 + 3 of a layered cube map is the fourth face of the third") {
  Case c(
      kernel("mov.f32 %f3, 0f00000000; mov.f32 %f4, 0fBF800000;"
             "tex.acube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%r9, %f3, %f4, %f3}];"));
  Image i{.geometry = Geometry::kCube, .width = 1, .height = 1};
  i.layered = true;
  i.layers = 3;
  std::vector<float> faces(18);
  std::iota(faces.begin(), faces.end(), 0.0F);
  Descriptor d = made(c.memory, texture::Kind::kTexture, i, faces);
  d.sampler.normalized = true;
  CHECK(run(c, make(c.memory, d), 0, 2).f() == 2 * 6 + 3);  // -y of the third
}

TEST_CASE("a variable of the module is a handle; a sampler may be another") {
  const std::string variables = ".global .texref picture; .global .samplerref how;\n";
  for (const char* object : {"picture", "%rd1"}) {
    Case c(kernel("mov.u64 %rd1, picture; tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [" + std::string(object) +
                      ", how, {%f1, %f2}];",
                  variables));
    const auto address = [&](const char* name) {
      const auto& all = c.program().module().variables;
      for (size_t v = 0; v < all.size(); ++v) {
        if (all[v].name == name) {
          return c.program().placement().address[v];
        }
      }
      return ptx::kNowhere;
    };
    CHECK(run(c, 0, 0, 0).error.find("is of no object (legal: of a texture)") != std::string::npos);
    write(c.memory, address("picture"), made(c.memory, texture::Kind::kTexture, kPicture, picture()));
    Descriptor how;
    how.kind = texture::Kind::kSampler;
    how.sampler.linear = true;
    write(c.memory, address("how"), how);
    CHECK(run(c, 0, 2, 1.5).f() == 15.5);
  }
}

TEST_CASE("what an object is and how large") {
  Case c(
      kernel("istypep.texref %p0, %rd1; istypep.surfref %p1, %rd1; selp.b32 %r0, 1, 0, %p0; selp.b32 %r1, 1, "
             "0, %p1;\ntxq.width.b32 %r2, [%rd1]; txq.height.b32 %r3, [%rd1];"));
  const Descriptor d = made(c.memory, texture::Kind::kTexture, kPicture, picture());
  CHECK(run(c, make(c.memory, d), 0, 0).words == std::vector<uint32_t>{1, 0, 4, 3});
}

TEST_CASE("surfaces count bytes, and say what is outside") {
  const std::string load = "shl.b32 %r8, %r8, 2; suld.b.2d.b32.";
  for (const auto& [mode, beyond] : {std::pair{"zero", 0U}, {"clamp", std::bit_cast<uint32_t>(17.0F)}}) {
    Case c(kernel(load + mode + " %r0, [%rd1, {%r8, %r9}];"));
    const uint64_t t = make(c.memory, made(c.memory, texture::Kind::kSurface, kPicture, picture()));
    CHECK(run(c, t, 2, 1).f() == 16);
    CHECK(run(c, t, 4, 1).words[0] == beyond);
  }
  Case c(kernel(load + "trap %r0, [%rd1, {%r8, %r9}];"));
  const uint64_t t = make(c.memory, made(c.memory, texture::Kind::kSurface, kPicture, picture()));
  CHECK(
      run(c, t, 4, 1)
          .error.find("t.ptx:6: x = 16, y = 1, z = 0, layer 0 lies outside a surface of 16 bytes x 3 x 1, 1 "
                      "layers; kernel k, thread (0, 0, 0)") != std::string::npos);
  Case odd(kernel("suld.b.2d.b32.clamp %r0, [%rd1, {%r8, %r9}];"));
  const uint64_t o = make(odd.memory, made(odd.memory, texture::Kind::kSurface, kPicture, picture()));
  CHECK(run(odd, o, 2, 1).error.find("x = 2 is misaligned (legal: a multiple of 4") != std::string::npos);
}

TEST_CASE("stores and reductions on surfaces are seen behind the launch") {
  Case c(
      kernel("mov.b32 %r4, 7; sust.p.2d.v4.b32.trap [%rd1, {%r8, %r9}], {%r4, %r4, %r4, %r4};\n"
             "shl.b32 %r8, %r8, 2; sured.b.add.2d.u32.trap [%rd1, {%r8, %r9}], %r4;"));
  Image i = kPicture;
  i.element = Element::kU32;
  const Descriptor d = made(c.memory, texture::Kind::kSurface, i, std::vector<uint32_t>(12, 1));
  CHECK(run(c, make(c.memory, d), 3, 2).error.empty());
  const std::vector<uint8_t> bytes = contents(c.memory, d.image, 0);
  CHECK(bytes[4 * 11] == 14);
  CHECK(bytes[4 * 10] == 1);
}

TEST_CASE("wrong handles, shapes and types are errors with their line") {
  Case c(kernel(kFetch));
  CHECK(run(c, 0x1234, 0, 0)
            .error.find("t.ptx:6: handle 0x1234 is of no object (legal: of a texture); kernel k, "
                        "thread (0, 0, 0) of block (0, 0, 0)") != std::string::npos);
  Descriptor d = made(c.memory, texture::Kind::kSurface, kPicture, picture());
  CHECK(run(c, make(c.memory, d), 0, 0).error.find("is of a 2d surface of f32 x 1 (legal: of a texture)") !=
        std::string::npos);
  Image line = kPicture;
  line.geometry = Geometry::k1d;
  line.width = 12;
  line.height = 1;
  d = made(c.memory, texture::Kind::kTexture, line, picture());
  CHECK(
      run(c, make(c.memory, d), 0, 0).error.find("is of a 1d texture of f32 x 1 (legal: of the dimensions") !=
      std::string::npos);
  Image whole = kPicture;
  whole.element = Element::kU32;
  d = made(c.memory, texture::Kind::kTexture, whole, picture());
  CHECK(
      run(c, make(c.memory, d), 0, 0).error.find("results are said to be f32, and the texture's are whole") !=
      std::string::npos);
  d.sampler.linear = true;
  CHECK_THROWS_WITH(make(c.memory, d),
                    "a linear filter of u32 (legal: of f16, f32, and of u8, s8, u16, s16 read as "
                    "float)");
  d.sampler.linear = false;
  d.image.width = 200000;
  CHECK_THROWS_WITH(make(c.memory, d), "a width of 200000 of a 2d texture (legal: 1 to 131072)");
}

TEST_CASE("what cannot be executed is said with its line") {
  Case c(kernel("txq.channel_order.b32 %r0, [%rd1];"));
  const std::string why = c.error("k", {1}, {1}, {0, 0, 0, 0});
  CHECK(why.find("kernel k has 1 instructions that cannot be executed yet") != std::string::npos);
}

TEST_CASE("elements lie in blocks of 64 bytes by 8 rows") {
  Image i{.width = 64, .height = 16};
  CHECK(address_of(i, 0, 16, 0, 0, 0) == 32);  // the next sector
  CHECK(address_of(i, 0, 0, 1, 0, 0) == 16);   // in the same one
  CHECK(address_of(i, 0, 0, 2, 0, 0) == 64);
  CHECK(address_of(i, 0, 64, 0, 0, 0) == 512);  // the next block
  CHECK(address_of(i, 0, 0, 8, 0, 0) == 2048);
  CHECK(bytes_of(i) == 4096);
}

}  // namespace heddle::exec::test
