// What a fetch of a texture gives (LC12 to LC15; ptx.md 2.13).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/exec/memory.h"
#include "sim/exec/texture/descriptor.h"
#include "sim/exec/texture/ops.h"
#include "sim/exec/texture/texel.h"

namespace heddle::exec::texture {

// The bytes of elements. Throws Fault for what is not in memory.
class Reader {
 public:
  explicit Reader(const Memory& memory) : memory_(memory) {}
  const uint8_t* at(uint64_t address, uint32_t bytes);
  // Addresses of what has been read since the last call.
  std::vector<uint64_t> take() { return std::exchange(read_, {}); }

 private:
  const Memory& memory_;
  Memory::Range last_;
  std::vector<uint64_t> read_;
};

// One lane's.
struct Fetch {
  std::array<float, 3> x{};
  std::array<int32_t, 3> n{};  // of TextureOp::whole
  int32_t layer = 0;
  float level = 0;                  // kSaid
  std::array<float, 3> dx{}, dy{};  // kGradients
  std::array<int32_t, 3> offset{};
};

// The words of kFetch and kGather: f32 or integers.
Words sampled(const TextureOp& op, const Image& i, const Sampler& s, const Fetch& f, Reader& reader);

}  // namespace heddle::exec::texture
