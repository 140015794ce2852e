// What the modifiers of instructions say, as typed fields (ptx.md 2). Every enumeration begins with kNone:
// not written. The words in comments are the modifiers, without dots, where they differ from the names.
#pragma once

#include <cstdint>

namespace heddle::ptx {

// rni to rpi round to a whole number.
enum class Rounding : uint8_t { kNone, kRn, kRz, kRm, kRp, kRna, kRni, kRzi, kRmi, kRpi, kRs };

enum class Compare : uint8_t {
  // clang-format off
  kNone, kEq, kNe, kLt, kLe, kGt, kGe, kLo, kLs, kHi, kHs, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan
  // clang-format on
};

enum class BoolOp : uint8_t { kNone, kAnd, kOr, kXor };

// kNone: generic. Plain shared is shared::cta. `param` of declarations; instructions may say which kind.
enum class Space : uint8_t {
  // clang-format off
  kNone, kReg, kGlobal, kShared, kSharedCluster, kLocal, kConst, kParam, kParamEntry, kParamFunc, kTex
  // clang-format on
};

// Of variables and functions; kNone: seen in the module only.
enum class Linkage : uint8_t { kNone, kVisible, kExtern, kWeak, kCommon };

enum class Scope : uint8_t { kNone, kCta, kCluster, kGpu, kSys };

enum class Semantics : uint8_t { kNone, kWeak, kRelaxed, kAcquire, kRelease, kAcqRel, kSc, kVolatile };

enum class CacheOp : uint8_t { kNone, kCa, kCg, kCs, kLu, kCv, kWb, kWt };

// L1::evict_..., L2::evict_..., L1::no_allocate
enum class Evict : uint8_t { kNone, kNormal, kUnchanged, kFirst, kLast, kNoAllocate };

// Of atom, red, redux, bar.red, mma of bits, copies that reduce, video instructions.
enum class Combine : uint8_t { kNone, kAnd, kOr, kXor, kCas, kExch, kAdd, kInc, kDec, kMin, kMax, kPopc };

// Which part of a product.
enum class Part : uint8_t { kNone, kLo, kHi, kWide };

// One choice of many that only one or a few opcodes have; the words are in words.cc.
enum class Mode : uint8_t {
  // clang-format off
  kNone,
  kClamp, kWrap,                                                   // bmsk szext shf vshl vshr surfaces
  kLeft, kRight,                                                   // shf
  kF4e, kB4e, kRc8, kEcl, kEcr, kRc16,                             // prmt
  kUp, kDown, kBfly, kIdx,                                         // shfl
  kAll, kAny, kUni, kBallot,                                       // vote match
  kFinite, kInfinite, kNumber, kNotanumber, kNormal, kSubnormal,   // testp
  kLevel1, kLevel2,                                                // prefetch discard
  kTile, kIm2col, kIm2colNoOffs,                                   // tensors
  kTrap, kZero,                                                    // surfaces out of bounds
  kBase, kLevel, kGrad,                                            // tex txq
  kUnformatted, kFormatted,                                        // surfaces
  kIncrease, kDecrease,                                            // setmaxnreg
  kLaunchDependents, kWait,                                        // griddepcontrol
  kShr7, kShr15,                                                   // vmad
  kAlias, kAsync,                                                  // fence.proxy
  kGlobalAddress, kRank, kBoxDim, kGlobalDim, kGlobalStride, kElementStride, kElemtype,  // tensormap.replace
  kInterleaveLayout, kSwizzleMode, kFillMode,
  kWidth, kHeight, kDepth, kChannelDataType, kChannelOrder, kNormalizedCoords,           // txq suq
  kForceUnnormalizedCoords, kFilterMode, kAddrMode0, kAddrMode1, kAddrMode2, kArraySize, kNumMipmapLevels,
  kNumSamples, kMemoryLayout,
  // clang-format on
};

// Of textures, surfaces and tensors.
enum class Geometry : uint8_t { kNone, k1d, k2d, k3d, k4d, k5d, kA1d, kA2d, kCube, kAcube, k2dms, kA2dms };

// Which one tld4 reads.
enum class Channel : uint8_t { kNone, kR, kG, kB, kA };

enum class Layout : uint8_t { kNone, kRow, kCol };

// kind::f16 and so on, of tcgen05.mma.
enum class TensorKind : uint8_t { kNone, kF16, kTf32, kI8, kF8f6f4, kMxf8f6f4, kMxf4, kMxf4nvf4 };

// Lanes and bits of tensor memory that tcgen05.ld, .st and .cp move: 32x32b and so on.
enum class Cells : uint8_t {
  // clang-format off
  kNone, k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2, k128x256b, k4x256b, k128x128b, k64x128b, k32x128b
  // clang-format on
};

// The quarters of tensor memory that tcgen05.cp writes alike: warpx2::02_13, warpx2::01_23, warpx4.
enum class Quarters : uint8_t { kNone, k0213, k0123, kAll };

// m16n8k16 and so on; of ldmatrix and the like k is 0.
struct Shape {
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;

  friend bool operator==(const Shape&, const Shape&) = default;
};

// Modifiers that are there or not. X(enumerator, word)
// clang-format off
#define HEDDLE_PTX_FLAGS(X)                                                                                   \
  X(kFtz, "ftz") X(kSat, "sat") X(kSatfinite, "satfinite") X(kRelu, "relu") X(kNan, "NaN")                    \
  X(kXorsign, "xorsign") X(kAbs, "abs") X(kApprox, "approx") X(kFull, "full") X(kCc, "cc") X(kOob, "oob")     \
  X(kNoftz, "noftz") X(kSync, "sync") X(kAligned, "aligned") X(kUni, "uni") X(kTo, "to") X(kNc, "nc")         \
  X(kMmio, "mmio") X(kShiftamt, "shiftamt") X(kParity, "parity") X(kNoinc, "noinc")                           \
  X(kNoComplete, "noComplete") X(kExpectTx, "expect_tx") X(kRead, "read") X(kPopc, "popc")                    \
  X(kCompleteTx, "mbarrier::complete_tx::bytes") X(kBulkGroup, "bulk_group")                                  \
  X(kMulticast, "multicast::cluster") X(kCacheHint, "L2::cache_hint") X(kCpMask, "cp_mask")                   \
  X(kTrans, "trans") X(kTensormap, "tensormap") X(kTensormapGeneric, "tensormap::generic")                    \
  X(kAsyncGeneric, "async::generic") X(kRestrictCta, "sync_restrict::shared::cta")                            \
  X(kRestrictCluster, "sync_restrict::shared::cluster") X(kMask, "mask") X(kPo, "po") X(kL2, "L2")     \
  X(kBlockScale, "block_scale") X(kAshift, "ashift") X(kDown, "down") X(kArriveOne, "mbarrier::arrive::one")    \
  X(kPack, "pack::16b") X(kUnpack, "unpack::16b")

enum class Flag : uint8_t {
#define HEDDLE_PTX_X(name, word) name,
  HEDDLE_PTX_FLAGS(HEDDLE_PTX_X)
#undef HEDDLE_PTX_X
};
// clang-format on

}  // namespace heddle::ptx
