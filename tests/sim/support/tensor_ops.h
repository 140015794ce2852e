// Tensor copies and what is done to their barrier objects, as recordings have them (sim/isa/async_op.h).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/isa/tensor_map.h"
#include "tests/sim/support/kernel_builder.h"

namespace heddle::simtest {

// A tensor of 1024 x 1024 elements of 4 bytes without gaps, cut in tiles of `box`.
inline isa::TensorMap map_2d(uint32_t width, uint32_t height, uint64_t address = 0x1000000) {
  isa::TensorMap m;
  m.address = address;
  m.rank = 2;
  m.element_bytes = 4;
  m.size = {1024, 1024};
  m.stride = {4, 4096};
  m.box = {width, height};
  m.step = {1, 1};
  return m;
}

// Gives the kernel a map at that generic address; copies name it by the index that is returned.
inline uint64_t add_map(Kernel& k, const isa::TensorMap& m, uint64_t address, bool assumed = false) {
  std::vector<isa::RecordedMap>& maps = k.mutable_image().tensor_maps;
  maps.push_back({address, isa::encode(m), assumed});
  return maps.size() - 1;
}

// Registers 7 and 8 have the address of the map, 9 the blocks of a multicast from bit 16 on.
inline Op tensor_copy(isa::AsyncKind kind, uint64_t map_address, std::vector<uint64_t> from_first,
                      uint64_t blocks = 0) {
  Op o = make(OpClass::kBulkCopy, "UTMA").copies(kind);
  o.in.async.multicast = blocks != 0;
  o.in.space = isa::MemSpace::kGlobal;
  o.in.mem_refs = 1;
  from_first.resize(7);
  o.addresses.values = std::move(from_first);
  for (const uint64_t v :
       {map_address & 0xffffffff, map_address >> 32, blocks << 16, uint64_t{0}, uint64_t{0}}) {
    o.addresses.values.push_back(v);
  }
  return o;
}
// A register of a coordinate.
inline uint64_t reg(int32_t coordinate) { return static_cast<uint32_t>(coordinate); }

inline Op tensor_load(uint64_t map_address, int32_t x, int32_t y, uint64_t barrier, uint64_t blocks = 0) {
  return tensor_copy(isa::AsyncKind::kTensorLoad, map_address, {0, barrier, reg(x), reg(y)}, blocks);
}
inline Op tensor_store(uint64_t map_address, int32_t x, int32_t y) {
  return tensor_copy(isa::AsyncKind::kTensorStore, map_address, {0, reg(x), reg(y)});
}
inline Op tensor_reduce(uint64_t map_address, int32_t x, int32_t y) {
  return tensor_copy(isa::AsyncKind::kTensorReduce, map_address, {0, reg(x), reg(y)});
}
inline Op tensor_prefetch(uint64_t map_address, int32_t x, int32_t y) {
  return tensor_copy(isa::AsyncKind::kTensorPrefetch, map_address, {reg(x), reg(y)});
}

inline Op syncs(const std::string& text, isa::SyncsForm form, uint64_t barrier) {
  Op o = make(OpClass::kMbarrier, text);
  o.in.syncs = form;
  o.in.space = isa::MemSpace::kShared;
  o.in.mem_refs = 1;
  return o.at(barrier, 0);
}
// The word of an object that waits for so many arrivals: FINDINGS.md 24 has 0x7ffff800001ffffe for one.
inline uint64_t barrier_word(uint64_t arrivals) {
  return ((uint64_t{1} << 20) - arrivals) << 43 | ((uint64_t{1} << 20) - arrivals) << 1;
}
using Form = isa::SyncsForm;
inline Op mbarrier_init(uint64_t barrier, uint64_t arrivals) {
  return syncs("SYNCS.EXCH.64", {Form::Kind::kInit}, barrier).data(barrier_word(arrivals));
}
inline Op mbarrier_expect(uint64_t barrier, uint64_t bytes) {
  return syncs("SYNCS.ARRIVE.TRANS64", {Form::Kind::kArrive, Form::Bytes::kExpect, 1}, barrier).data(bytes);
}
inline Op mbarrier_arrive(uint64_t barrier) {
  return syncs("SYNCS.ARRIVE.TRANS64.A1T0", {Form::Kind::kArrive, Form::Bytes::kNone, 1}, barrier);
}
inline Op mbarrier_wait(uint64_t barrier, uint64_t parity) {
  return syncs("SYNCS.PHASECHK.TRANS64.TRYWAIT", {Form::Kind::kWait}, barrier).data(parity << 31);
}

// Each step by one lane, as an elected thread executes it.
inline std::vector<Kernel::Step> one_lane(std::initializer_list<uint32_t> indices) {
  std::vector<Kernel::Step> steps;
  for (const uint32_t i : indices) {
    steps.push_back({i, 1});
  }
  return steps;
}

}  // namespace heddle::simtest
