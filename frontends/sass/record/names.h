// Mnemonics and modifiers of machine code, each once: an enumerator, which is the text behind a k, and the
// text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::sass {

// clang-format off
#define HEDDLE_SASS_MNEMONICS(x) \
  x(ACQBULK) x(ARRIVES) x(ATOM) x(ATOMG) x(ATOMS) x(B2R) x(BAR) x(BGMMA) x(BMMA) x(BMOV) x(BMSK) x(BPT) \
  x(BRA) x(BREAK) x(BREV) x(BRX) x(BRXU) x(BSSY) x(BSYNC) x(CALL) x(CCTL) x(CGAERRBAR) x(CREDUX) x(CS2R) \
  x(CS2UR) x(DADD) x(DEPBAR) x(DFMA) x(DMMA) x(DMUL) x(DSETP) x(ELECT) x(ENDCOLLECTIVE) x(ERRBAR) x(EXIT) \
  x(F2F) x(F2FP) x(F2I) x(F2IP) x(FADD) x(FADD2) x(FCHK) x(FENCE) x(FFMA) x(FFMA2) x(FLO) x(FMNMX) \
  x(FMNMX3) x(FMUL) x(FMUL2) x(FRND) x(FSEL) x(FSET) x(FSETP) x(FSWZADD) x(HADD2) x(HFMA2) x(HGMMA) \
  x(HMMA) x(HMNMX2) x(HMUL2) x(HSET2) x(HSETP2) x(I2F) x(I2FP) x(I2I) x(I2IP) x(IABS) x(IADD) x(IADD3) \
  x(IDP) x(IGMMA) x(IMAD) x(IMMA) x(IMNMX) x(ISETP) x(KILL) x(LD) x(LDC) x(LDCU) x(LDG) x(LDGDEPBAR) \
  x(LDGSTS) x(LDL) x(LDS) x(LDSM) x(LDTM) x(LEA) x(LEPC) x(LOP3) x(MATCH) x(MEMBAR) x(MOV) x(MOVM) x(MUFU) \
  x(NANOSLEEP) x(NOP) x(P2R) x(PLOP3) x(PMTRIG) x(POPC) x(PREEXIT) x(PRMT) x(QGMMA) x(QMMA) x(QSPC) x(R2P) \
  x(R2UR) x(REDAS) x(REDG) x(REDUX) x(RET) x(RPCMOV) x(S2R) x(S2UR) x(SEL) x(SGXT) x(SHF) x(SHFL) x(ST) \
  x(STAS) x(STG) x(STL) x(STS) x(STSM) x(STTM) x(SULD) x(SURED) x(SUST) x(SYNCS) x(TEX) x(TLD) x(TLD4) \
  x(TXD) x(TXQ) x(UBLKCP) x(UBLKPF) x(UBLKRED) x(UBMSK) x(UBREV) x(UCGABAR_ARV) x(UCGABAR_WAIT) x(UFADD) \
  x(UFFMA) x(UFLO) x(UFMUL) x(UI2F) x(UIADD3) x(UIMAD) x(UIMNMX) x(UISETP) x(ULDC) x(ULEA) x(ULOP3) \
  x(UMOV) x(UP2UR) x(UPLOP3) x(UPOPC) x(UPRMT) x(USEL) x(USETMAXREG) x(USETSHMSZ) x(USGXT) x(USHF) \
  x(UTCATOMSWS) x(UTCBAR) x(UTCCP) x(UTCHMMA) x(UTCIMMA) x(UTCOMMA) x(UTCQMMA) x(UTCSHIFT) x(UTMACCTL) \
  x(UTMACMDFLUSH) x(UTMALDG) x(UTMAPF) x(UTMAREDG) x(UTMASTG) x(UVIMNMX) x(UVIRTCOUNT) x(VABSDIFF) \
  x(VABSDIFF4) x(VIADD) x(VIADDMNMX) x(VIMNMX) x(VIMNMX3) x(VOTE) x(VOTEU) x(WARPGROUP) x(WARPSYNC) \
  x(YIELD)

#define HEDDLE_SASS_MODIFIERS(x) \
  x(128) x(128dp128bit) x(16) x(16dp128bit) x(16dp256bit) x(16dp32bit_t0_t15) x(16dp64bit) x(16x2) x(1D) \
  x(2) x(2A) x(2CTA) x(2D) x(2x64dp128bit_lw01_lw23) x(2x64dp128bit_lw02_lw13) x(32) x(3D) x(4) x(4A) \
  x(4D) x(4dp256bit) x(4x32dp128bit) x(5D) x(64) x(A) x(A0T1) x(A0TR) x(A0TX) x(A1T0) x(ABS) x(ACC) x(ADD) \
  x(ALIGN) x(ALL) x(AND) x(ANY) x(AOFFI) x(ARRAY_1D) x(ARRAY_2D) x(ARRAY_CUBE) x(ARRIVE) x(ART0) x(ARV) \
  x(ARVCNT) x(ASYNC) x(B) x(B1) x(B2) x(B3) x(B4E) x(BA) x(BF) x(BF16) x(BF16_V2) x(BF16x2) x(BF16x4) \
  x(BF16x8) x(BFLY) x(BROADCAST) x(BYPASS) x(CAS) x(CAST) x(CCTL) x(CEIL) x(CLEAR) x(COLLECTIVE) \
  x(CONSTANT) x(CONV) x(COS) x(CTA) x(CTAPOOL) x(CUBE) x(D) x(D2) x(D4) x(D8) x(DEALLOC) x(DEC) \
  x(DEFER_BLOCKING) x(DEPBAR) x(DIV) x(DOWN) x(E) x(E4M3) x(E5M2) x(ECL) x(ECR) x(EF) x(EL) x(EQ) x(EQU) \
  x(EU) x(EX) x(EX2) x(EXCH) x(EXCLUSIVE) x(F) x(F16) x(F16x2) x(F16x4) x(F16x8) x(F32) x(F32x2) x(F32x4) \
  x(F4E) x(F64) x(FIND_AND_SET) x(FLOOR) x(FLUSH) x(FMZ) x(FTZ) x(G) x(GE) x(GEU) x(GPU) x(GT) x(GTU) \
  x(HI) x(IADD) x(IDX) x(IGN) x(IL) x(IM2COL) x(INC) x(IS) x(ISAT) x(ISL) x(IV) x(IVALL) x(L) x(L2) \
  x(LDGSTSBAR) x(LE) x(LEU) x(LG2) x(LL) x(LO) x(LT) x(LTC128B) x(LTC256B) x(LTC64B) x(LTU) x(LU) x(LUT) \
  x(LZ) x(M2) x(M4) x(M8) x(M832) x(M88) x(MAX) x(MERGE_C) x(MIN) x(MMA) x(MMIO) x(MOV) x(MT88) \
  x(MULTICAST) x(NA) x(NAN) x(NE) x(NEU) x(NODEC) x(NOINC) x(NTZ) x(NUM) x(OPTOUT) x(OR) x(P) x(PACK16BIT) \
  x(PACK_AB) x(PACK_AB_MERGE_C) x(PACK_B) x(PAND) x(PF) x(PF1) x(PF2) x(PHASECHK) x(POPC) x(PQUAD) x(R) \
  x(RC16) x(RC8) x(RCP) x(RCP64H) x(RECONVERGENT) x(RED) x(REL) x(RELIABLE) x(RELU) x(RESULT) x(RM) x(RN) \
  x(RP) x(RS) x(RSLB) x(RSQ) x(RSQ64H) x(RZ) x(S) x(S16) x(S16x2) x(S2) x(S32) x(S4) x(S64) x(S8) x(S8x4) \
  x(SAT) x(SATFINITE) x(SC) x(SCR) x(SH) x(SHL) x(SIN) x(SM) x(SMPOOL) x(SP) x(SPIN) x(SQRT) x(STRONG) x(SUM) \
  x(SX32) x(SYNC) x(SYNCALL) x(SYNCS) x(SYS) x(T) x(TANH) x(TF32) x(TMASK) x(TRANS64) x(TRANSCNT) x(TRAP) \
  x(TRUNC) x(TRYWAIT) x(TRY_ALLOC) x(U) x(U16) x(U16x2) x(U2) x(U32) x(U4) x(U4TO8) x(U64) x(U8) x(U8x4) \
  x(UNPACK16BIT) x(UNPACK_B) x(UNPACK_B_MERGE_C) x(UP) x(VC) x(VIEW) x(W) x(WAIT) x(WBALL) x(WIDE) x(WS) \
  x(X) x(XOR) x(XORSIGN) x(ZFILL) x(x128) x(x16) x(x2) x(x32) x(x4) x(x64) x(x8)

#define HEDDLE_SASS_ENUMERATOR(name) k##name,
#define HEDDLE_SASS_TEXT(name) #name,
enum class Mnemonic : uint8_t { kNone, HEDDLE_SASS_MNEMONICS(HEDDLE_SASS_ENUMERATOR) };
// kShape stands for that of a product of matrices (Decoded::shape).
enum class Mod : uint16_t { kNone, HEDDLE_SASS_MODIFIERS(HEDDLE_SASS_ENUMERATOR) kShape };

inline constexpr std::string_view kMnemonicTexts[] = {"", HEDDLE_SASS_MNEMONICS(HEDDLE_SASS_TEXT)};
inline constexpr std::string_view kModTexts[] = {"", HEDDLE_SASS_MODIFIERS(HEDDLE_SASS_TEXT) ""};
#undef HEDDLE_SASS_ENUMERATOR
#undef HEDDLE_SASS_TEXT
// clang-format on

inline constexpr size_t kMnemonics = std::size(kMnemonicTexts), kMods = std::size(kModTexts);

constexpr std::string_view text(Mnemonic m) { return kMnemonicTexts[static_cast<size_t>(m)]; }
// An instruction of the uniform datapath.
constexpr bool of_warp(Mnemonic m) { return text(m).starts_with('U'); }
constexpr std::string_view text(Mod m) { return kModTexts[static_cast<size_t>(m)]; }

}  // namespace heddle::sass
