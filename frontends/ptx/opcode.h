// The operations of PTX: the words with which an instruction begins, without its modifiers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::ptx {

// X(enumerator, words). A new operation is a line here and a row in one of the tables (forms_*.cc).
// clang-format off
#define HEDDLE_PTX_OPCODES(X)                                                                              \
  X(kAbs, "abs") X(kActivemask, "activemask") X(kAdd, "add") X(kAddc, "addc") X(kAlloca, "alloca")         \
  X(kAnd, "and") X(kApplypriority, "applypriority") X(kAtom, "atom")                                       \
  X(kBarArrive, "bar.arrive") X(kBarRed, "bar.red") X(kBarSync, "bar.sync") X(kBarWarpSync, "bar.warp.sync") \
  X(kBarrierArrive, "barrier.arrive") X(kBarrierRed, "barrier.red") X(kBarrierSync, "barrier.sync")        \
  X(kBarrierClusterArrive, "barrier.cluster.arrive") X(kBarrierClusterWait, "barrier.cluster.wait")        \
  X(kBfe, "bfe") X(kBfi, "bfi") X(kBfind, "bfind") X(kBmsk, "bmsk") X(kBra, "bra") X(kBrev, "brev")        \
  X(kBrkpt, "brkpt") X(kBrxIdx, "brx.idx") X(kCall, "call") X(kClz, "clz") X(kCnot, "cnot")                \
  X(kCopysign, "copysign") X(kCos, "cos") X(kCpAsync, "cp.async")                                          \
  X(kCpAsyncCommitGroup, "cp.async.commit_group") X(kCpAsyncWaitGroup, "cp.async.wait_group")              \
  X(kCpAsyncWaitAll, "cp.async.wait_all") X(kCpAsyncMbarrierArrive, "cp.async.mbarrier.arrive")            \
  X(kCpAsyncBulk, "cp.async.bulk") X(kCpAsyncBulkCommitGroup, "cp.async.bulk.commit_group")                \
  X(kCpAsyncBulkWaitGroup, "cp.async.bulk.wait_group") X(kCpAsyncBulkPrefetch, "cp.async.bulk.prefetch")   \
  X(kCpAsyncBulkTensor, "cp.async.bulk.tensor")                                                            \
  X(kCpAsyncBulkPrefetchTensor, "cp.async.bulk.prefetch.tensor")                                           \
  X(kCpReduceAsyncBulk, "cp.reduce.async.bulk") X(kCpReduceAsyncBulkTensor, "cp.reduce.async.bulk.tensor") \
  X(kCreatepolicyFractional, "createpolicy.fractional") X(kCreatepolicyRange, "createpolicy.range")        \
  X(kCreatepolicyCvt, "createpolicy.cvt") X(kCvt, "cvt") X(kCvtPack, "cvt.pack") X(kCvta, "cvta")          \
  X(kDiscard, "discard") X(kDiv, "div") X(kDp2a, "dp2a") X(kDp4a, "dp4a") X(kElect, "elect")               \
  X(kEx2, "ex2") X(kExit, "exit") X(kFence, "fence") X(kFenceMbarrierInit, "fence.mbarrier_init")          \
  X(kFenceProxy, "fence.proxy") X(kFma, "fma") X(kFns, "fns") X(kGetctarank, "getctarank")                 \
  X(kGriddepcontrol, "griddepcontrol") X(kIsspacep, "isspacep") X(kIstypep, "istypep") X(kLd, "ld")        \
  X(kLdmatrix, "ldmatrix") X(kLdu, "ldu") X(kLg2, "lg2") X(kLop3, "lop3") X(kMad, "mad") X(kMad24, "mad24") \
  X(kMadc, "madc") X(kMapa, "mapa") X(kMatch, "match") X(kMax, "max")                                      \
  X(kMbarrierArrive, "mbarrier.arrive") X(kMbarrierArriveDrop, "mbarrier.arrive_drop")                     \
  X(kMbarrierCompleteTx, "mbarrier.complete_tx") X(kMbarrierExpectTx, "mbarrier.expect_tx")                \
  X(kMbarrierInit, "mbarrier.init") X(kMbarrierInval, "mbarrier.inval")                                    \
  X(kMbarrierPendingCount, "mbarrier.pending_count") X(kMbarrierTestWait, "mbarrier.test_wait")            \
  X(kMbarrierTryWait, "mbarrier.try_wait") X(kMembar, "membar") X(kMembarProxy, "membar.proxy")            \
  X(kMin, "min") X(kMma, "mma") X(kMmaSp, "mma.sp") X(kMov, "mov") X(kMovmatrix, "movmatrix")              \
  X(kMul, "mul") X(kMul24, "mul24") X(kMultimemLdReduce, "multimem.ld_reduce")                             \
  X(kMultimemRed, "multimem.red") X(kMultimemSt, "multimem.st") X(kNanosleep, "nanosleep") X(kNeg, "neg")  \
  X(kNot, "not") X(kOr, "or") X(kPmevent, "pmevent") X(kPopc, "popc") X(kPrefetch, "prefetch")             \
  X(kPrefetchu, "prefetchu") X(kPrmt, "prmt") X(kRcp, "rcp") X(kRed, "red") X(kRedAsync, "red.async")      \
  X(kRedux, "redux") X(kRem, "rem") X(kRet, "ret") X(kRsqrt, "rsqrt") X(kSad, "sad") X(kSelp, "selp")      \
  X(kSet, "set") X(kSetmaxnreg, "setmaxnreg") X(kSetp, "setp") X(kShf, "shf") X(kShfl, "shfl")             \
  X(kShl, "shl") X(kShr, "shr") X(kSin, "sin") X(kSlct, "slct") X(kSqrt, "sqrt") X(kSt, "st")              \
  X(kStAsync, "st.async") X(kStackrestore, "stackrestore") X(kStacksave, "stacksave")                      \
  X(kStmatrix, "stmatrix") X(kSub, "sub") X(kSubc, "subc") X(kSuld, "suld") X(kSuq, "suq")                 \
  X(kSured, "sured") X(kSust, "sust") X(kSzext, "szext") X(kTanh, "tanh")                                  \
  X(kTcgen05Alloc, "tcgen05.alloc") X(kTcgen05Commit, "tcgen05.commit") X(kTcgen05Cp, "tcgen05.cp")        \
  X(kTcgen05Dealloc, "tcgen05.dealloc") X(kTcgen05FenceAfter, "tcgen05.fence::after_thread_sync")          \
  X(kTcgen05FenceBefore, "tcgen05.fence::before_thread_sync") X(kTcgen05Ld, "tcgen05.ld")                  \
  X(kTcgen05Mma, "tcgen05.mma") X(kTcgen05MmaSp, "tcgen05.mma.sp") X(kTcgen05MmaWs, "tcgen05.mma.ws")      \
  X(kTcgen05MmaWsSp, "tcgen05.mma.ws.sp")                                                                  \
  X(kTcgen05RelinquishAllocPermit, "tcgen05.relinquish_alloc_permit") X(kTcgen05Shift, "tcgen05.shift")    \
  X(kTcgen05St, "tcgen05.st") X(kTcgen05WaitLd, "tcgen05.wait::ld") X(kTcgen05WaitSt, "tcgen05.wait::st")  \
  X(kTensormapCpFenceproxy, "tensormap.cp_fenceproxy") X(kTensormapReplace, "tensormap.replace")           \
  X(kTestp, "testp") X(kTex, "tex") X(kTld4, "tld4") X(kTrap, "trap") X(kTxq, "txq")                       \
  X(kVabsdiff, "vabsdiff") X(kVabsdiff2, "vabsdiff2") X(kVabsdiff4, "vabsdiff4") X(kVadd, "vadd")          \
  X(kVadd2, "vadd2") X(kVadd4, "vadd4") X(kVavrg2, "vavrg2") X(kVavrg4, "vavrg4") X(kVmad, "vmad")         \
  X(kVmax, "vmax") X(kVmax2, "vmax2") X(kVmax4, "vmax4") X(kVmin, "vmin") X(kVmin2, "vmin2")               \
  X(kVmin4, "vmin4") X(kVote, "vote") X(kVset, "vset") X(kVset2, "vset2") X(kVset4, "vset4")               \
  X(kVshl, "vshl") X(kVshr, "vshr") X(kVsub, "vsub") X(kVsub2, "vsub2") X(kVsub4, "vsub4")                 \
  X(kWgmmaCommitGroup, "wgmma.commit_group") X(kWgmmaFence, "wgmma.fence")                                 \
  X(kWgmmaMmaAsync, "wgmma.mma_async") X(kWgmmaMmaAsyncSp, "wgmma.mma_async.sp")                           \
  X(kWgmmaWaitGroup, "wgmma.wait_group") X(kWmmaLoadA, "wmma.load.a") X(kWmmaLoadB, "wmma.load.b")         \
  X(kWmmaLoadC, "wmma.load.c") X(kWmmaMma, "wmma.mma") X(kWmmaStoreD, "wmma.store.d") X(kXor, "xor")

enum class Opcode : uint8_t {
#define HEDDLE_PTX_X(name, words) name,
  HEDDLE_PTX_OPCODES(HEDDLE_PTX_X)
#undef HEDDLE_PTX_X
};
// clang-format on

constexpr int kOpcodeCount = static_cast<int>(Opcode::kXor) + 1;

std::string_view words(Opcode opcode);

struct OpcodePrefix {
  Opcode opcode;
  size_t length;  // of its words in the text
};

// The longest operation with whose words `text` ("cp.async.bulk.tensor.2d...") begins; also written
// bar.cta.sync and barrier.cta.sync. Nothing when there is none.
std::optional<OpcodePrefix> opcode_of(std::string_view text);

// Why the operation is not one of sm_50 to sm_90a, when it is one of a later target: "sm_100". Else empty.
std::string_view later_target(std::string_view text);

// The names that are spelt much like the first word of `text`, or those that begin like it: for messages.
std::string similar_opcodes(std::string_view text);

}  // namespace heddle::ptx
