// What asynchronous copies and barrier-object instructions are, as their opcodes say; frontends/sass decodes
// them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::isa {

enum class AsyncKind : uint8_t {
  kNone,
  kBulkLoad,        // UBLKCP.S.G
  kBulkStore,       // UBLKCP.G.S
  kBulkReduce,      // UBLKRED.G.S
  kBulkPrefetch,    // UBLKPF
  kBulkShared,      // UBLKCP.S.S, UBLKRED.S.S: into another block's shared memory
  kTensorLoad,      // UTMALDG
  kTensorStore,     // UTMASTG
  kTensorReduce,    // UTMAREDG
  kTensorPrefetch,  // UTMAPF
  kFlush,           // UTMACMDFLUSH: closes a group of stores
  kControl,         // UTMACCTL: descriptors, moves nothing
};

struct AsyncOp {
  AsyncKind kind = AsyncKind::kNone;
  uint8_t dimensions = 0;  // of a tensor copy
  bool im2col = false;
  bool multicast = false;

  bool operator==(const AsyncOp&) const = default;
};

inline bool is_tensor_copy(AsyncKind k) {
  return k >= AsyncKind::kTensorLoad && k <= AsyncKind::kTensorPrefetch;
}
inline bool is_load(AsyncKind k) { return k == AsyncKind::kBulkLoad || k == AsyncKind::kTensorLoad; }
// Reads shared memory.
inline bool is_store(AsyncKind k) {
  return k == AsyncKind::kBulkStore || k == AsyncKind::kBulkReduce || k == AsyncKind::kTensorStore ||
         k == AsyncKind::kTensorReduce;
}
inline bool is_reduction(AsyncKind k) { return k == AsyncKind::kBulkReduce || k == AsyncKind::kTensorReduce; }

// SYNCS and ARRIVES: what they do to a barrier object (tools/microbench/FINDINGS.md 24).
struct SyncsForm {
  enum class Kind : uint8_t { kOther, kInit, kInvalidate, kArrive, kWait, kArriveCopies };
  enum class Bytes : uint8_t { kNone, kExpect, kComplete };
  Kind kind = Kind::kOther;
  Bytes bytes = Bytes::kNone;        // whose number is the data operand
  uint8_t arrivals = 0;              // of a lane; of kArrive
  bool arrivals_in_operand = false;  // as many as the data operand says

  bool operator==(const SyncsForm&) const = default;
};

// The values of an asynchronous copy that a recording has (MemRef::Kind::kValues): 12 uniform registers, the
// ones from the first register named on (7 of a tensor copy, else 2), then 2 from each further one in the
// order of the text; behind them, where the recorder knows it, the place of its tensor map in
// KernelImage::tensor_maps.
inline constexpr size_t kRecordedRegisters = 12;

// The same of an instruction of tensor memory: TensorOp's three, in its order.
inline constexpr size_t kTensorValues = 3;

}  // namespace heddle::isa
