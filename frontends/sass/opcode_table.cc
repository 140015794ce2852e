#include "frontends/sass/opcode_table.h"

#include <algorithm>
#include <array>

namespace heddle::sass {
namespace {

using enum isa::OpClass;
using F = Form;
using W = Wide;
using M = isa::MemSpace;

// NVIDIA's instruction-set reference for Volta, Turing, Ampere, Ada, Hopper and Blackwell, compute
// instructions. One row per opcode: name, class, destinations, register counts, memory space, address lists
// in a trace, default bytes.
constexpr std::array kRows = {
    // ---- integer, logic, move
    OpcodeRow{"BMSK", kAlu},
    OpcodeRow{"I2IP", kAlu},
    OpcodeRow{"IABS", kAlu},
    OpcodeRow{"IADD", kAlu},
    OpcodeRow{"IADD3", kAlu},
    OpcodeRow{"IADD32I", kAlu},
    OpcodeRow{"IMNMX", kAlu},
    OpcodeRow{"ISCADD", kAlu},
    OpcodeRow{"ISCADD32I", kAlu},
    OpcodeRow{"LEA", kAlu},
    OpcodeRow{"LEPC", kAlu, F::kFirst, W::kDest},
    OpcodeRow{"LOP", kAlu},
    OpcodeRow{"LOP3", kAlu},
    OpcodeRow{"LOP32I", kAlu},
    OpcodeRow{"MOV", kAlu, F::kFirst},
    OpcodeRow{"MOV32I", kAlu, F::kFirst},
    OpcodeRow{"P2R", kAlu, F::kFirst},
    OpcodeRow{"PRMT", kAlu},
    OpcodeRow{"R2P", kAlu, F::kFirst},
    OpcodeRow{"SEL", kAlu},
    OpcodeRow{"SGXT", kAlu},
    OpcodeRow{"SHF", kAlu},
    OpcodeRow{"SHL", kAlu},
    OpcodeRow{"SHR", kAlu},
    OpcodeRow{"VABSDIFF", kAlu},
    OpcodeRow{"VABSDIFF4", kAlu},
    OpcodeRow{"VIADD", kImad},  // runs where IMAD does (hw/h200/suite.csv, pipe counters)
    OpcodeRow{"VIADDMNMX", kAlu},
    OpcodeRow{"VIMNMX", kAlu},
    OpcodeRow{"VIMNMX3", kAlu},
    OpcodeRow{"VHMNMX", kAlu},
    OpcodeRow{"ISETP", kAluPredicate, F::kPredicates},
    OpcodeRow{"PLOP3", kAluPredicate, F::kPredicates},
    OpcodeRow{"PSETP", kAluPredicate, F::kPredicates},
    OpcodeRow{"IDP", kIdp},
    OpcodeRow{"IDP4A", kIdp},
    OpcodeRow{"IMAD", kImad},
    OpcodeRow{"IMUL", kImad},
    OpcodeRow{"IMUL32I", kImad},
    OpcodeRow{"BREV", kBitCount},
    OpcodeRow{"FLO", kBitCount},
    OpcodeRow{"POPC", kBitCount},
    // ---- floating point
    OpcodeRow{"FADD", kFp32},
    OpcodeRow{"FADD32I", kFp32},
    OpcodeRow{"FFMA", kFp32},
    OpcodeRow{"FFMA32I", kFp32},
    OpcodeRow{"FMUL", kFp32},
    OpcodeRow{"FMUL32I", kFp32},
    OpcodeRow{"FSWZADD", kFp32},
    OpcodeRow{"FMNMX", kAlu},
    OpcodeRow{"FSEL", kAlu},
    OpcodeRow{"FSET", kAlu},
    OpcodeRow{"FSETP", kAluPredicate, F::kPredicates},
    OpcodeRow{"FCHK", kMufu, F::kPredicates},  // carries a write barrier like MUFU
    OpcodeRow{"MUFU", kMufu},
    OpcodeRow{"HADD2", kHalf},
    OpcodeRow{"HADD2_32", kHalf},
    OpcodeRow{"HFMA2", kHalf},
    OpcodeRow{"HFMA2_32", kHalf},
    OpcodeRow{"HMUL2", kHalf},
    OpcodeRow{"HMUL2_32", kHalf},
    OpcodeRow{"HSET2", kAlu},
    OpcodeRow{"HSETP2", kAluPredicate, F::kPredicates},
    OpcodeRow{"HMNMX2", kAlu},
    OpcodeRow{"DADD", kFp64, F::kDest, W::kAll},
    OpcodeRow{"DFMA", kFp64, F::kDest, W::kAll},
    OpcodeRow{"DMNMX", kFp64, F::kDest, W::kAll},
    OpcodeRow{"DMUL", kFp64, F::kDest, W::kAll},
    OpcodeRow{"DSET", kFp64, F::kDest, W::kAll},
    OpcodeRow{"DSETP", kFp64, F::kPredicates, W::kAll},
    // ---- conversion; the fixed-latency packed forms carry no write barrier and count as kAlu
    OpcodeRow{"F2F", kConvert},
    OpcodeRow{"F2I", kConvert},
    OpcodeRow{"FRND", kConvert},
    OpcodeRow{"I2F", kConvert},
    OpcodeRow{"I2I", kConvert},
    OpcodeRow{"F2FP", kAlu},
    OpcodeRow{"F2IP", kAlu},
    OpcodeRow{"I2FP", kAlu},
    // ---- warp-wide
    OpcodeRow{"ELECT", kElect, F::kAllButLast},
    OpcodeRow{"MATCH", kMatch},
    OpcodeRow{"REDUX", kRedux},
    OpcodeRow{"SHFL", kShuffle},
    OpcodeRow{"VOTE", kVote, F::kAllButLast},
    OpcodeRow{"VOTEU", kVoteUniform, F::kAllButLast},
    // ---- special registers
    OpcodeRow{"B2R", kS2R},
    OpcodeRow{"CS2R", kCs2r, F::kFirst, W::kDest},
    OpcodeRow{"GETLMEMBASE", kS2R, F::kFirst, W::kDest},
    OpcodeRow{"QSPC", kS2R, F::kBeforeAddress},
    OpcodeRow{"R2B", kS2R, F::kSources},
    OpcodeRow{"R2UR", kR2ur},
    OpcodeRow{"S2R", kS2RThread},  // the register decides, where it is known
    OpcodeRow{"S2UR", kS2ur},
    OpcodeRow{"SETCTAID", kS2R, F::kSources},
    OpcodeRow{"SETLMEMBASE", kS2R, F::kSources, W::kSource},
    // ---- uniform datapath
    OpcodeRow{"R2UP", kUniform, F::kFirst},
    OpcodeRow{"UBMSK", kUniform},
    OpcodeRow{"UBREV", kUniform},
    OpcodeRow{"UCLEA", kUniform},
    OpcodeRow{"UF2FP", kUniform},
    OpcodeRow{"UFLO", kUniform},
    OpcodeRow{"UIABS", kUniform},
    OpcodeRow{"UIADD3", kUniform},
    OpcodeRow{"UIMAD", kUniform},
    OpcodeRow{"UIMNMX", kUniform},
    OpcodeRow{"UISETP", kUniform, F::kPredicates},
    OpcodeRow{"ULDC", kUldc, F::kDest, W::kAccess, M::kConstant, 0, 4},
    OpcodeRow{"ULEA", kUniform},
    OpcodeRow{"ULEPC", kUniform, F::kFirst, W::kDest},
    OpcodeRow{"ULOP", kUniform},
    OpcodeRow{"ULOP3", kUniform},
    OpcodeRow{"ULOP32I", kUniform},
    OpcodeRow{"UMOV", kUniformMove, F::kFirst},
    OpcodeRow{"UP2UR", kUniform, F::kFirst},
    OpcodeRow{"UPLOP3", kUniform, F::kPredicates},
    OpcodeRow{"UPOPC", kUniform},
    OpcodeRow{"UPRMT", kUniform},
    OpcodeRow{"UPSETP", kUniform, F::kPredicates},
    OpcodeRow{"UR2UP", kUniform, F::kFirst},
    OpcodeRow{"USEL", kUniform},
    OpcodeRow{"USETMAXREG", kUniform, F::kPredicates},
    OpcodeRow{"USETSHMSZ", kUniform, F::kSources},  // gives shared memory back at the end of a block
    OpcodeRow{"USGXT", kUniform},
    OpcodeRow{"USHF", kUniform},
    OpcodeRow{"USHL", kUniform},
    OpcodeRow{"USHR", kUniform},
    OpcodeRow{"UVIADD", kUniform},
    OpcodeRow{"UVIMNMX", kUniform},
    // ---- Blackwell (10.x, 12.x); classes by the control fields that ptxas gives them: of LDCU a write
    // barrier, as of LDC,
    // of CREDUX none, as of R2UR
    OpcodeRow{"CREDUX", kR2ur},
    OpcodeRow{"CS2UR", kCs2r, F::kFirst, W::kDest},
    OpcodeRow{"FADD2", kFp32x2, F::kDest, W::kAll},
    OpcodeRow{"FFMA2", kFp32x2, F::kDest, W::kAll},
    OpcodeRow{"FMNMX3", kAlu},
    OpcodeRow{"FMUL2", kFp32x2, F::kDest, W::kAll},
    OpcodeRow{"LDCU", kLdc, F::kDest, W::kAccess, M::kConstant, 0, 4},
    OpcodeRow{"UFADD", kUniform},
    OpcodeRow{"UFFMA", kUniform},
    OpcodeRow{"UFMUL", kUniform},
    OpcodeRow{"UI2F", kUniform},
    OpcodeRow{"UI2FP", kUniform},
    // ---- tensor
    OpcodeRow{"BGMMA", kGmma, F::kDest, W::kMma, M::kShared, 1},
    OpcodeRow{"BMMA", kImma, F::kDest, W::kMma},
    OpcodeRow{"DMMA", kDmma, F::kDest, W::kMma},
    OpcodeRow{"HGMMA", kGmma, F::kDest, W::kMma, M::kShared, 1},
    OpcodeRow{"HMMA", kHmma, F::kDest, W::kMma},
    OpcodeRow{"IGMMA", kGmma, F::kDest, W::kMma, M::kShared, 1},
    OpcodeRow{"IMMA", kImma, F::kDest, W::kMma},
    OpcodeRow{"MOVM", kMovm},
    OpcodeRow{"QGMMA", kGmma, F::kDest, W::kMma, M::kShared, 1},
    OpcodeRow{"QMMA", kHmma, F::kDest, W::kMma},
    OpcodeRow{"WARPGROUP", kNop, F::kSources},  // the modifier decides
    OpcodeRow{"WARPGROUPSET", kNop, F::kSources},
    // ---- branch and convergence
    OpcodeRow{"BMOV", kConverge, F::kFirst},
    OpcodeRow{"BPT", kNop, F::kSources},
    OpcodeRow{"BRA", kBranch, F::kSources},
    OpcodeRow{"BREAK", kConverge, F::kSources},
    OpcodeRow{"BRX", kBranch, F::kSources, W::kSource},
    OpcodeRow{"BRXU", kBranch, F::kSources, W::kSource},
    OpcodeRow{"BSSY", kConverge, F::kFirst},
    OpcodeRow{"BSYNC", kConverge, F::kSources},
    OpcodeRow{"CALL", kCall, F::kSources, W::kSource},
    OpcodeRow{"ENDCOLLECTIVE", kConverge, F::kSources},
    OpcodeRow{"EXIT", kExit, F::kSources},
    OpcodeRow{"JMP", kBranch, F::kSources, W::kSource},
    OpcodeRow{"JMX", kBranch, F::kSources, W::kSource},
    OpcodeRow{"JMXU", kBranch, F::kSources, W::kSource},
    OpcodeRow{"KILL", kExit, F::kSources},
    OpcodeRow{"NANOSLEEP", kNanosleep, F::kSources},
    OpcodeRow{"RET", kCall, F::kSources, W::kSource},
    OpcodeRow{"RPCMOV", kConverge, F::kFirst},
    OpcodeRow{"RTT", kBranch, F::kSources},
    OpcodeRow{"WARPSYNC", kConverge, F::kSources},
    OpcodeRow{"YIELD", kConverge, F::kSources},
    // ---- other control
    OpcodeRow{"ACQBULK", kNop, F::kSources},
    OpcodeRow{"BAR", kBarrier, F::kSources},
    OpcodeRow{"CGAERRBAR", kErrbar, F::kSources},
    OpcodeRow{"DEPBAR", kDepbar, F::kSources},
    OpcodeRow{"ERRBAR", kNop, F::kSources},  // of it and CGAERRBAR, which come together, one counts
    OpcodeRow{"FENCE", kMembar, F::kSources},
    OpcodeRow{"LDGDEPBAR", kLdgdepbar, F::kSources},
    OpcodeRow{"MEMBAR", kMembar, F::kSources},
    OpcodeRow{"NOP", kNop, F::kSources},
    OpcodeRow{"PMTRIG", kNop, F::kSources},
    OpcodeRow{"PREEXIT", kNop, F::kSources},
    OpcodeRow{"UCGABAR_ARV", kClusterBarrier, F::kSources},
    OpcodeRow{"UCGABAR_WAIT", kClusterWait, F::kSources},
    // ---- memory
    OpcodeRow{"ATOM", kAtomGeneric, F::kBeforeAddress, W::kAccess, M::kGeneric, 1, 4},
    OpcodeRow{"ATOMG", kAtomGlobal, F::kBeforeAddress, W::kAccess, M::kGlobal, 1, 4},
    OpcodeRow{"ATOMS", kAtomShared, F::kBeforeAddress, W::kAccess, M::kShared, 1, 4},
    OpcodeRow{"CCTL", kCctl, F::kSources, W::kNone, M::kGlobal},
    OpcodeRow{"CCTLL", kCctl, F::kSources, W::kNone, M::kLocal},
    OpcodeRow{"CCTLT", kCctl, F::kSources, W::kNone, M::kTexture},
    OpcodeRow{"LD", kLdGeneric, F::kBeforeAddress, W::kAccess, M::kGeneric, 1, 4},
    OpcodeRow{"LDC", kLdc, F::kDest, W::kAccess, M::kConstant, 0, 4},
    OpcodeRow{"LDG", kLdGlobal, F::kBeforeAddress, W::kAccess, M::kGlobal, 1, 4},
    OpcodeRow{"LDGMC", kLdGlobal, F::kBeforeAddress, W::kAccess, M::kGlobal, 1, 4},
    OpcodeRow{"LDGSTS", kLdgsts, F::kSources, W::kNone, M::kGlobal, 2, 4},
    OpcodeRow{"LDL", kLdLocal, F::kBeforeAddress, W::kAccess, M::kLocal, 1, 4},
    OpcodeRow{"LDS", kLdShared, F::kBeforeAddress, W::kAccess, M::kShared, 1, 4},
    OpcodeRow{"LDSM", kLdMatrix, F::kBeforeAddress, W::kMatrix, M::kShared, 1, 16},
    OpcodeRow{"RED", kRedGlobal, F::kSources, W::kAccess, M::kGeneric, 1, 4},
    OpcodeRow{"REDAS", kAtomShared, F::kSources, W::kAccess, M::kDistributedShared, 1, 4},
    OpcodeRow{"REDG", kRedGlobal, F::kSources, W::kAccess, M::kGlobal, 1, 4},
    OpcodeRow{"ST", kStGeneric, F::kSources, W::kAccess, M::kGeneric, 1, 4},
    OpcodeRow{"STAS", kStShared, F::kSources, W::kAccess, M::kDistributedShared, 1, 4},
    OpcodeRow{"STG", kStGlobal, F::kSources, W::kAccess, M::kGlobal, 1, 4},
    OpcodeRow{"STL", kStLocal, F::kSources, W::kAccess, M::kLocal, 1, 4},
    OpcodeRow{"STS", kStShared, F::kSources, W::kAccess, M::kShared, 1, 4},
    OpcodeRow{"STSM", kStMatrix, F::kSources, W::kMatrix, M::kShared, 1, 16},
    // ---- Hopper's asynchronous copies and transaction barriers
    OpcodeRow{"ARRIVES", kMbarrier, F::kSources, W::kNone, M::kShared, 1, 8},
    OpcodeRow{"SYNCS", kMbarrier, F::kBeforeAddress, W::kNone, M::kShared, 1, 8},
    OpcodeRow{"UBLKCP", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UBLKPF", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UBLKRED", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UTMACCTL", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UTMACMDFLUSH", kBulkCopy, F::kSources},
    OpcodeRow{"UTMALDG", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UTMAPF", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UTMAREDG", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    OpcodeRow{"UTMASTG", kBulkCopy, F::kSources, W::kNone, M::kGlobal, 1},
    // ---- Blackwell's tensor memory
    OpcodeRow{"LDTM", kTensorLd, F::kFirst, W::kMatrix},
    OpcodeRow{"STTM", kTensorSt, F::kSources, W::kMatrix},
    OpcodeRow{"UTCATOMSWS", kTensorAlloc, F::kDest, W::kNone, M::kNone, 1},
    OpcodeRow{"UTCBAR", kTensorCommit, F::kSources, W::kNone, M::kShared, 1, 8},
    OpcodeRow{"UTCCP", kTensorCopy, F::kSources, W::kNone, M::kShared, 1},
    OpcodeRow{"UTCHMMA", kTensorMma, F::kSources, W::kNone, M::kShared, 1},
    OpcodeRow{"UTCIMMA", kTensorMma, F::kSources, W::kNone, M::kShared, 1},
    OpcodeRow{"UTCOMMA", kTensorMma, F::kSources, W::kNone, M::kShared, 1},
    OpcodeRow{"UTCQMMA", kTensorMma, F::kSources, W::kNone, M::kShared, 1},
    OpcodeRow{"UTCSHIFT", kTensorCopy, F::kSources, W::kNone, M::kNone, 1},
    OpcodeRow{"UVIRTCOUNT", kUniform, F::kSources},
    // ---- texture and surface
    OpcodeRow{"SUATOM", kTexture, F::kBeforeAddress, W::kAccess, M::kTexture, 1, 4},
    OpcodeRow{"SULD", kTexture, F::kBeforeAddress, W::kAccess, M::kTexture, 1, 4},
    OpcodeRow{"SUQUERY", kTexture, F::kDest, W::kNone, M::kTexture},
    OpcodeRow{"SURED", kTexture, F::kSources, W::kAccess, M::kTexture, 1, 4},
    OpcodeRow{"SUST", kTexture, F::kSources, W::kAccess, M::kTexture, 1, 4},
    OpcodeRow{"TEX", kTexture, F::kTexture, W::kNone, M::kTexture, 1, 16},
    OpcodeRow{"TLD", kTexture, F::kTexture, W::kNone, M::kTexture, 1, 16},
    OpcodeRow{"TLD4", kTexture, F::kTexture, W::kNone, M::kTexture, 1, 16},
    OpcodeRow{"TMML", kTexture, F::kTexture, W::kNone, M::kTexture, 1, 8},
    OpcodeRow{"TXD", kTexture, F::kTexture, W::kNone, M::kTexture, 1, 16},
    OpcodeRow{"TXQ", kTexture, F::kTexture, W::kNone, M::kTexture, 0, 16},
};

constexpr auto sorted_rows() {
  auto rows = kRows;
  std::sort(rows.begin(), rows.end(), [](const OpcodeRow& a, const OpcodeRow& b) { return a.base < b.base; });
  return rows;
}

constexpr auto kSorted = sorted_rows();

constexpr bool all_different() {
  return std::adjacent_find(kSorted.begin(), kSorted.end(), [](const OpcodeRow& a, const OpcodeRow& b) {
           return a.base == b.base;
         }) == kSorted.end();
}
static_assert(all_different(), "an opcode has two rows");

}  // namespace

std::span<const OpcodeRow> opcode_rows() { return kSorted; }

const OpcodeRow* find_row(std::string_view base) {
  const auto it = std::lower_bound(kSorted.begin(), kSorted.end(), base,
                                   [](const OpcodeRow& r, std::string_view b) { return r.base < b; });
  return it != kSorted.end() && it->base == base ? &*it : nullptr;
}

}  // namespace heddle::sass
