// Any bytes as a tensor map, operands of asynchronous copies and barrier objects: an error of one line, or a
// machine that executes them to the end.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/recorded_copy.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/tensor_ops.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr uint64_t kMap = 0x2000, kMostShared = 200000;
constexpr size_t kSteps = 6;
constexpr uint64_t kMostStep = 8;  // of elements that are read, one of so many gets into shared memory

void require(bool so) {
  if (!so) {
    __builtin_trap();
  }
}

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  size_t left() const { return left_; }
  template <class T>
  T take() {
    T value{};
    const size_t n = std::min(left_, sizeof value);
    if (n > 0) {
      std::memcpy(&value, data_, n);
    }
    data_ += n;
    left_ -= n;
    return value;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

// A copy, whose form and registers are taken from the bytes; of the map's address and of places in shared
// memory half are such that something is there.
Op copy_of(Bytes& b) {
  using isa::AsyncKind;
  constexpr AsyncKind kKinds[] = {
      AsyncKind::kBulkLoad,   AsyncKind::kBulkStore,   AsyncKind::kBulkReduce,   AsyncKind::kBulkPrefetch,
      AsyncKind::kTensorLoad, AsyncKind::kTensorStore, AsyncKind::kTensorReduce, AsyncKind::kTensorPrefetch};
  const auto form = b.take<uint32_t>();
  const AsyncKind kind = kKinds[form % std::size(kKinds)];
  Op o = make(OpClass::kBulkCopy, isa::is_tensor_copy(kind) ? "UTMA" : "UBLK").copies(kind);
  o.in.async.multicast = isa::is_load(kind) && (form >> 3 & 1);
  o.in.async.im2col = form >> 4 & 1;
  o.in.async.dimensions = static_cast<uint8_t>((form >> 5 & 7) % 6);
  o.in.space = isa::MemSpace::kGlobal;
  o.in.mem_refs = 1;
  for (size_t i = 0; i < isa::kRecordedRegisters; ++i) {
    o.addresses.values.push_back(b.take<uint32_t>());
  }
  if (form >> 8 & 1) {
    o.addresses.values[0] %= 4096;
    o.addresses.values[1] = 64;
    o.addresses.values[7] = kMap;
    o.addresses.values[8] = 0;
  }
  if (form >> 9 & 1) {
    o.addresses.values.push_back(form >> 10 & 1);  // the map's place; there is one
  }
  return o;
}

Op barrier_of(Bytes& b) {
  const auto form = b.take<uint16_t>();
  const auto operand = b.take<uint64_t>();
  isa::SyncsForm f;
  f.kind = static_cast<isa::SyncsForm::Kind>(form % 6);
  f.bytes = static_cast<isa::SyncsForm::Bytes>((form >> 3) % 3);
  f.arrivals = form >> 5 & 1;
  f.arrivals_in_operand = form >> 6 & 1;
  return syncs("SYNCS", f, (form >> 7 & 1) ? 64 : form >> 8 << 3).data(operand);
}

void check_read(const Kernel& k, const Op& o) {
  isa::RecordedCopy c;
  const std::string why = isa::read_copy(k.image(), o.in, o.addresses.values, kMostShared, c);
  require(why.find('\n') == std::string::npos);
  if (!why.empty() || !c.known || !isa::is_tensor_copy(o.in.async.kind)) {
    return;
  }
  for (uint32_t i = 0; i < c.tile.rows; ++i) {
    require(c.tile.row(i).bytes <= kMostStep * c.tile.row_bytes);
  }
}

}  // namespace
}  // namespace heddle::simtest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  using namespace heddle::simtest;
  Bytes bytes(data, size);
  Kernel k;
  isa::RecordedMap map{kMap, {}, false};
  for (uint8_t& byte : map.bytes) {
    byte = bytes.take<uint8_t>();
  }
  k.mutable_image().tensor_maps.push_back(map);
  std::vector<Kernel::Step> steps = {{k.add(mbarrier_init(64, 1)), 1}};
  for (size_t i = 0; i < kSteps && bytes.left() > 0; ++i) {
    const bool barrier = bytes.take<uint8_t>() % 3 == 0;
    const Op o = barrier ? barrier_of(bytes) : copy_of(bytes);
    if (!barrier) {
      check_read(k, o);
    }
    steps.push_back({k.add(o), 1});
  }
  steps.push_back({k.add(make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive))});
  steps.push_back({k.add(make(OpClass::kClusterWait, "UCGABAR_WAIT"))});
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = kMostShared;
  for (uint32_t block = 0; block < 2; ++block) {
    k.stream_of_block(block, 0, steps);
  }
  try {
    run(test_gpu(2), k);
  } catch (const Error& e) {
    require(std::string_view(e.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
