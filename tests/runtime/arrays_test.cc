// Arrays, their levels, texture and surface objects; conditional nodes; each thread's own default stream.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "sim/exec/texture/layout.h"
#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

namespace texture = exec::texture;
using texture::Element;

constexpr ElementFormat kFloat{Element::kF32, 1, false};

// Rows of the host's into all of an array.
CopyWork into(const Array& a, const void* from, uint64_t width, uint64_t rows) {
  CopyWork c;
  c.from = reinterpret_cast<uint64_t>(from);
  c.from_pitch = c.width = width;
  c.height = rows;
  c.to_array = place_in(a, 0, 0, 0, width, rows, 1);
  c.to = a.image.data;
  return c;
}

TEST_CASE("an array's elements lie in blocks of 64 bytes by 8 rows") {
  ContextCase c;
  Array& a = c->create_array({kFloat, 12, 8, 0, 0, 1});
  CHECK(texture::bytes_of(a.image) == 512);  // 48 bytes a row: a block
  std::vector<float> h(96);
  std::iota(h.begin(), h.end(), 0.F);
  c->copy(into(a, h.data(), 48, 8), c.legacy(), true);
  // (5, 3): byte 20 of row 3, so row 1 of sectors, second 16 bytes, second row of the sector.
  CHECK(c.word(a.image.data + 64 + 32 + 16 + 4) == std::bit_cast<uint32_t>(41.F));
  // (9, 7): byte 36 of row 7, in the right half.
  CHECK(c.word(a.image.data + 256 + 3 * 64 + 16 + 4) == std::bit_cast<uint32_t>(93.F));
  // Back, but for the first column and row.
  std::vector<float> back(96, -1.F);
  CopyWork out;
  out.to = reinterpret_cast<uint64_t>(back.data());
  out.to_pitch = 48;
  out.width = 44;
  out.height = 7;
  out.from_array = place_in(a, 4, 1, 0, 44, 7, 1);
  out.from = a.image.data;
  c->copy(out, c.legacy(), true);
  CHECK(back[0] == h[13]);
  CHECK(back[6 * 12 + 10] == h[95]);
  CHECK(back[11] == -1.F);
  CHECK(status([&] { place_in(a, 8, 0, 0, 44, 1, 1); }) == Status::kInvalidValue);
  CHECK(status([&] { place_in(a, 0, 2, 0, 48, 7, 1); }) == Status::kInvalidValue);
  CHECK(status([&] { place_in(a, 2, 0, 0, 4, 1, 1); }) == Status::kInvalidValue);
}

TEST_CASE("a copy into an array takes the time of as many rows with a pitch") {
  const auto time = [](bool array) {
    ContextCase c;
    std::vector<float> h(512 * 64);
    Array& a = c->create_array({kFloat, 512, 64, 0, 0, 1});
    CopyWork w = into(a, h.data(), 2048, 64);
    if (!array) {
      w.to_array.reset();
      w.to_pitch = 2048;
    }
    const host::Ps before = c->timeline().threads().now();
    c->copy(w, c.legacy(), true);
    return c->timeline().threads().now() - before;
  };
  CHECK(time(true) == time(false));
}

TEST_CASE("levels are arrays, one behind the other") {
  ContextCase c;
  MipmappedArray& m = c->create_mipmapped({kFloat, 16, 8, 0, 0, 9});
  REQUIRE(m.levels.size() == 5);  // 16, 8, 4, 2, 1: no more
  for (uint32_t level = 0; level < 5; ++level) {
    const Array& a = *m.levels[level];
    CHECK(a.image.data == m.all.image.data + 512 * level);  // a block each
    CHECK(a.image.width == 16U >> level);
    CHECK(a.image.height == std::max(1U, 8U >> level));
    CHECK(&c->array(&a) == &a);
  }
  CHECK(status([&] { c->destroy(*m.levels[1]); }) == Status::kInvalidValue);
  // A view of two of them.
  LookupObject asked;
  asked.resource.type = Resource::Type::kMipmapped;
  asked.resource.handle = &m;
  asked.view.given = true;
  asked.view.first_level = 1;
  asked.view.last_level = 2;
  asked.look.sampler.normalized = true;
  const uint64_t object = c->create_texture(asked);
  const texture::Descriptor d = texture::read(c->space().memory(), object);
  CHECK(d.image.width == 8);
  CHECK(d.image.levels == 2);
  CHECK(d.image.data == m.all.image.data + 512);
  asked.view.last_level = 5;
  CHECK(status([&] { c->create_texture(asked); }) == Status::kInvalidValue);
  c->destroy(m);
  CHECK(status([&] { c->mipmapped(&m); }) == Status::kInvalidValue);
}

TEST_CASE("objects are numbers from 1 on, which are given again") {
  ContextCase c;
  Array& a = c->create_array({kFloat, 8, 8, 0, kSurfaceArray, 1});
  LookupObject asked;
  asked.resource.handle = &a;
  asked.look.sampler.address.fill(texture::AddressMode::kWrap);
  CHECK(c->create_texture(asked) == 1);
  CHECK(c->create_surface(asked.resource) == 2);
  // Without normalised coordinates nothing repeats (LC15).
  CHECK(texture::read(c->space().memory(), 1).sampler.address[0] == texture::AddressMode::kClamp);
  CHECK(status([&] { c->destroy_object(1, texture::Kind::kSurface); }) == Status::kInvalidValue);
  c->destroy_object(1, texture::Kind::kTexture);
  CHECK(texture::read(c->space().memory(), 1).kind == texture::Kind::kNone);
  CHECK(c->create_surface(asked.resource) == 1);
  // Linear memory begins at a multiple of 512; its filter counts for nothing.
  const uint64_t p = c.device(4096);
  LookupObject linear;
  linear.resource.type = Resource::Type::kLinear;
  linear.resource.address = p + 256;
  linear.resource.bytes = 1024;
  linear.resource.format = kFloat;
  linear.look.sampler.linear = true;
  CHECK(status([&] { c->create_texture(linear); }) == Status::kInvalidValue);
  linear.resource.address = p;
  CHECK(!texture::read(c->space().memory(), c->create_texture(linear)).sampler.linear);
  linear.resource.bytes = 8192;
  CHECK(status([&] { c->create_texture(linear); }) == Status::kInvalidValue);
  c->reset();
  CHECK(texture::read(c->space().memory(), 1).kind == texture::Kind::kNone);
}

TEST_CASE("arrays that there cannot be are refused") {
  ContextCase c;
  const auto refused = [&](ArrayShape s) { return status([&] { c->create_array(s); }); };
  CHECK(refused({kFloat, 0, 8, 0, 0, 1}) == Status::kInvalidValue);
  CHECK(refused({kFloat, 8, 0, 8, 0, 1}) == Status::kInvalidValue);              // a depth without a height
  CHECK(refused({kFloat, 8, 8, 5, kCubeArray, 1}) == Status::kInvalidValue);     // five faces
  CHECK(refused({kFloat, 8, 4, 6, kCubeArray, 1}) == Status::kInvalidValue);     // not square
  CHECK(refused({kFloat, 8, 8, 0, kLayeredArray, 1}) == Status::kInvalidValue);  // no layers
  CHECK(refused({kFloat, 131073, 8, 0, 0, 1}) == Status::kInvalidValue);
  CHECK(refused({kFloat, 8, 8, 0, 0x40, 1}) == Status::kNotSupported);  // sparse
}

// turn(u32* left, u64 handle): counts down and goes on while something is left.
constexpr const char* kTurn = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.visible .entry turn(.param .u64 p, .param .u64 handle) {
  .reg .u64 %a, %h; .reg .u32 %v;
  ld.param.u64 %a, [p]; ld.param.u64 %h, [handle];
  ld.global.u32 %v, [%a]; sub.u32 %v, %v, 1; st.global.u32 [%a], %v;
  { .param .b64 h; .param .b32 v; st.param.b64 [h], %h; st.param.b32 [v], %v;
    call.uni cudaGraphSetConditional, (h, v); }
  ret;
}
)";

TEST_CASE("GC06: a loop goes on while its kernel says so, each turn at the same cost") {
  const auto time = [](uint32_t turns) {
    ContextCase c;
    const uint64_t p = c.device(128);
    const auto program = c->library().load(kTurn);
    Graph& g = c->create_graph();
    const uint64_t handle = c->create_condition(g, 1, true);
    ConditionalWork loop = c->conditional(g, handle, host::GraphNode::Condition::kWhile, 1);
    KernelWork k;
    k.function = &c->library().function(program, "turn");
    uint64_t at = p, to = handle;
    void* arguments[] = {&at, &to};
    k.parameters = Context::parameters_of(*k.function->kernel, arguments);
    loop.bodies[0]->add(k, {});
    g.add(loop, {});
    CHECK(status([&] { c->conditional(g, handle, host::GraphNode::Condition::kIf, 1); }) ==
          Status::kInvalidValue);  // it has a node
    GraphExec& x = c->instantiate(g, 0);
    Stream& s = c->create_stream(1, 0);
    host::Ps took{};
    for (int launch = 0; launch < 3; ++launch) {  // the first one loads; the condition begins at 1 each time
      MemsetWork m;
      m.to = p;
      m.value = turns;
      m.element = 4;
      m.width = 1;
      c->set(m, s, false);
      c->synchronize(s);
      const host::Ps before = c->timeline().threads().now();
      c->launch(x, s);
      c->synchronize(s);
      took = c->timeline().threads().now() - before;
      CHECK(c.word(p) == 0);
    }
    CHECK(c->failed() == Status::kSuccess);
    return took;
  };
  const host::Ps three = time(3), four = time(4), nine = time(9);
  CHECK(four > three);
  CHECK(nine - four == 5 * (four - three));
}

TEST_CASE("ST03: calls of code for it have each thread's own default stream") {
  ContextCase c;
  Stream* own = nullptr;
  {
    const OwnDefaultStream here;
    own = &c->stream(nullptr);
    CHECK(&c->stream(nullptr) == own);
    CHECK(status([&] { c->destroy(*own); }) == Status::kInvalidResourceHandle);
  }
  CHECK(own != &c.legacy());
  CHECK(&c->stream(reinterpret_cast<const void*>(2)) == own);  // cudaStreamPerThread
  CHECK(&c->stream(nullptr) == &c.legacy());
  CHECK(&c->stream(reinterpret_cast<const void*>(1)) == &c.legacy());  // cudaStreamLegacy
  bool here_too = true;
  std::thread([&] { here_too = OwnDefaultStream::here(); }).join();
  CHECK(!here_too);
}

}  // namespace
}  // namespace heddle::cuda
