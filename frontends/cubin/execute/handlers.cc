// What executes each instruction, by its mnemonic, and which of its modifiers say nothing about values.
#include "frontends/cubin/execute/translator.h"

namespace heddle::cubin {

struct Translator::Handler {
  Mnemonic name;
  Mnemonic of_warp;  // the same in the warp's datapath; kNone: it has none
  void (Translator::*run)();
  // What says how it is so anyway, or nothing about values: modifiers that `run` does not take. Any other one
  // makes an instruction one that cannot be executed.
  ModSet ignored;
};

namespace {

using enum Mod;
using N = Mnemonic;
constexpr Mnemonic kNever = Mnemonic::kNone;

// Caches and who sees it.
constexpr ModSet kLoads = {kE, kGPU, kSM, kSYS, kCONSTANT, kEF, kEL, kLU, kEU, kNA},
                 kGlobalLoads = {kE,  kGPU, kSM, kSYS,    kCONSTANT, kEF,     kEL,
                                 kLU, kEU,  kNA, kLTC64B, kLTC128B,  kLTC256B},
                 kStores = {kE, kGPU, kSM, kSYS, kEF, kEL, kLU, kEU, kNA}, kLocal = {kEF, kEL, kLU, kEU, kNA},
                 kFetches = {kLZ, kEF, kEL, kLU, kEU, kNA},
                 kSurfaces = {kD, kBA, kP, kSTRONG, kCTA, kSM, kGPU, kSYS, kEF, kEL, kLU, kEU, kNA},
                 kAtomics = {kE, kSTRONG, kGPU, kSM, kSYS, kEF, kRN, kFTZ};
// Names of forms that the operands show.
constexpr ModSet kTensor = {k1D, k2D, k3D, k4D, k5D};

}  // namespace

// clang-format off
const Translator::Handler Translator::kHandlers[] = {
    // Whole numbers, logic, predicates, moves.
    {N::kIADD3, N::kUIADD3, &Translator::add3, {}},
    {N::kIADD, kNever, &Translator::add_wide, {}},
    {N::kIMAD, N::kUIMAD, &Translator::multiply, {kMOV, kIADD, kSHL, kU32}},
    {N::kLEA, N::kULEA, &Translator::shift_add, {}},
    {N::kLOP3, N::kULOP3, &Translator::logic, {kLUT}},
    {N::kPLOP3, N::kUPLOP3, &Translator::predicate_logic, {kLUT}},
    {N::kSHF, N::kUSHF, &Translator::shift, {kL, kU32}},
    {N::kISETP, N::kUISETP, &Translator::compare, {kAND}},
    {N::kIMNMX, N::kUIMNMX, &Translator::extreme, {}},
    {N::kVIMNMX, N::kUVIMNMX, &Translator::extreme, {kS32}},
    {N::kVIMNMX3, kNever, &Translator::extreme, {}},
    {N::kVIADDMNMX, kNever, &Translator::extreme, {}},
    {N::kVIADD, kNever, &Translator::add_lanes, {}},
    {N::kIABS, kNever, &Translator::absolute, {}},
    {N::kSGXT, N::kUSGXT, &Translator::extend, {}},
    {N::kBMSK, N::kUBMSK, &Translator::mask, {}},
    {N::kPOPC, N::kUPOPC, &Translator::count_bits, {}},
    {N::kBREV, N::kUBREV, &Translator::reverse_bits, {}},
    {N::kFLO, N::kUFLO, &Translator::find_leading, {}},
    {N::kPRMT, N::kUPRMT, &Translator::permute, {}},
    {N::kSEL, N::kUSEL, &Translator::select, {}},
    {N::kIDP, kNever, &Translator::dot_product, {k4A, kLO, kU8, kS8, kU16, kS16}},
    {N::kVABSDIFF4, kNever, &Translator::byte_differences, {}},
    {N::kVABSDIFF, kNever, &Translator::difference, {}},
    {N::kMOV, N::kUMOV, &Translator::move, {}},
    {N::kR2UR, kNever, &Translator::move_to_warp, {kBROADCAST}},
    {N::kRPCMOV, kNever, &Translator::move_return, {k32}},
    {N::kP2R, N::kUP2UR, &Translator::gather_predicates, {}},
    {N::kR2P, kNever, &Translator::scatter_predicates, {}},
    // Floating point.
    {N::kFADD, N::kUFADD, &Translator::fused, {}},
    {N::kFMUL, N::kUFMUL, &Translator::fused, {}},
    {N::kFFMA, N::kUFFMA, &Translator::fused, {}},
    {N::kDADD, kNever, &Translator::fused, {}},
    {N::kDMUL, kNever, &Translator::fused, {}},
    {N::kDFMA, kNever, &Translator::fused, {}},
    {N::kFADD2, kNever, &Translator::fused_pair, {}},
    {N::kFMUL2, kNever, &Translator::fused_pair, {}},
    {N::kFFMA2, kNever, &Translator::fused_pair, {}},
    {N::kFSETP, kNever, &Translator::compare_floats, {kAND}},
    {N::kDSETP, kNever, &Translator::compare_floats, {kAND}},
    {N::kFSET, kNever, &Translator::compare_floats, {kAND, kBF}},
    {N::kFMNMX, kNever, &Translator::extreme_float, {}},
    {N::kFMNMX3, kNever, &Translator::extreme_of_three, {}},
    {N::kFSEL, kNever, &Translator::select_float, {}},
    {N::kFCHK, kNever, &Translator::check_division, {}},
    {N::kMUFU, kNever, &Translator::special_function, {}},
    {N::kHADD2, kNever, &Translator::halves, {}},
    {N::kHMUL2, kNever, &Translator::halves, {}},
    {N::kHFMA2, kNever, &Translator::halves, {kMMA}},
    {N::kHMNMX2, kNever, &Translator::halves, {}},
    {N::kHSET2, kNever, &Translator::compare_halves, {kAND}},
    {N::kHSETP2, kNever, &Translator::compare_halves, {kAND}},
    // From one type to another.
    {N::kF2F, kNever, &Translator::float_to_float, {}},
    {N::kF2I, kNever, &Translator::float_to_integer, {kNTZ}},
    {N::kI2F, N::kUI2F, &Translator::integer_to_float, {}},
    {N::kI2FP, kNever, &Translator::integer_to_float, {}},
    {N::kFRND, kNever, &Translator::round_float, {}},
    {N::kF2FP, kNever, &Translator::pack_floats, {}},
    {N::kI2IP, kNever, &Translator::pack_integers, {kU2, kS2, kU4, kS4, kU8, kS8, kU16, kS16, kS32}},
    {N::kF2IP, kNever, &Translator::pack_bytes, {kF32}},
    {N::kI2I, kNever, &Translator::saturate, {kSAT}},
    // Memory.
    {N::kLD, kNever, &Translator::load_store, kLoads},
    {N::kLDG, kNever, &Translator::load_store, kGlobalLoads},
    {N::kLDS, kNever, &Translator::load_store, {kU}},
    {N::kLDL, kNever, &Translator::load_store, kLocal},
    {N::kST, kNever, &Translator::load_store, kStores},
    {N::kSTG, kNever, &Translator::load_store, kStores},
    {N::kSTS, kNever, &Translator::load_store, {}},
    {N::kSTL, kNever, &Translator::load_store, kLocal},
    {N::kLDC, N::kULDC, &Translator::load_constant, {}},
    {N::kLDC, N::kLDCU, &Translator::load_constant, {}},
    {N::kATOM, kNever, &Translator::atomic, {kE, kSTRONG, kGPU, kSM, kSYS, kEF, kRN, kFTZ, kSPIN}},
    {N::kATOMG, kNever, &Translator::atomic, kAtomics},
    {N::kREDG, kNever, &Translator::atomic, kAtomics},
    {N::kATOMS, kNever, &Translator::atomic, {kSPIN, k32}},
    {N::kLDSM, kNever, &Translator::matrix_tiles, {k16, kM88}},
    {N::kSTSM, kNever, &Translator::matrix_tiles, {k16, kM88}},
    {N::kQSPC, kNever, &Translator::in_space_of, {kE, kG}},
    {N::kCCTL, kNever, &Translator::nothing, {kE, kPF1, kPF2, kIVALL, kRS, kIV, kRSLB, kWBALL}},
    {N::kMEMBAR, kNever, &Translator::nothing, {kSC, kALL, kMMIO, kCTA, kSM, kGPU, kSYS, kVC}},
    {N::kERRBAR, kNever, &Translator::nothing, {}},
    {N::kCGAERRBAR, kNever, &Translator::nothing, {}},
    {N::kTEX, kNever, &Translator::fetch, kFetches},
    {N::kTLD, kNever, &Translator::fetch, kFetches},
    {N::kTLD4, kNever, &Translator::fetch, kFetches},
    {N::kTXD, kNever, &Translator::fetch, kFetches},
    {N::kTXQ, kNever, &Translator::texture_query, {}},
    {N::kSULD, kNever, &Translator::surface, kSurfaces},
    {N::kSUST, kNever, &Translator::surface, kSurfaces},
    {N::kSURED, kNever, &Translator::surface, kSurfaces},
    // Branches and barriers.
    {N::kBRA, kNever, &Translator::branch, {}},
    {N::kBRX, kNever, &Translator::branch, {}},
    {N::kBRXU, kNever, &Translator::branch, {}},
    {N::kCALL, kNever, &Translator::branch, {kREL, kNOINC}},
    {N::kRET, kNever, &Translator::branch, {kREL, kNODEC}},
    {N::kEXIT, kNever, &Translator::leave, {}},
    {N::kKILL, kNever, &Translator::leave, {}},
    {N::kBPT, kNever, &Translator::leave, {kTRAP}},
    {N::kBSSY, kNever, &Translator::converge, {kRELIABLE, kRECONVERGENT}},
    {N::kBSYNC, kNever, &Translator::converge, {kRELIABLE, kRECONVERGENT}},
    {N::kBREAK, kNever, &Translator::converge, {kRELIABLE}},
    {N::kBMOV, kNever, &Translator::move_barrier, {k32}},
    {N::kENDCOLLECTIVE, kNever, &Translator::end_collective, {}},
    {N::kBAR, kNever, &Translator::block_barrier, {kAND, kOR, kDEFER_BLOCKING}},
    {N::kB2R, kNever, &Translator::block_barrier, {}},
    {N::kNANOSLEEP, kNever, &Translator::sleep, {kSYNCS}},
    {N::kLEPC, kNever, &Translator::code_address, {}},
    {N::kUCGABAR_ARV, kNever, &Translator::cluster_barrier, {}},
    {N::kUCGABAR_WAIT, kNever, &Translator::cluster_barrier, {}},
    // What waits, and what changes hands.
    {N::kNOP, kNever, &Translator::nothing, {}},
    {N::kYIELD, kNever, &Translator::nothing, {}},
    {N::kDEPBAR, kNever, &Translator::nothing, {kLE}},
    {N::kLDGDEPBAR, kNever, &Translator::nothing, {}},
    {N::kWARPGROUP, kNever, &Translator::nothing, {kARRIVE, kWAIT, kDEPBAR, kLE}},
    {N::kFENCE, kNever, &Translator::nothing, {kVIEW, kASYNC, kS, kG}},
    {N::kPREEXIT, kNever, &Translator::nothing, {}},
    {N::kACQBULK, kNever, &Translator::nothing, {}},
    {N::kUSETMAXREG, kNever, &Translator::nothing, {kDEALLOC, kTRY_ALLOC, kCTAPOOL}},
    {N::kUSETSHMSZ, kNever, &Translator::nothing, {kFLUSH}},
    {N::kUTMACMDFLUSH, kNever, &Translator::nothing, {}},
    {N::kUTMACCTL, kNever, &Translator::nothing, {kIV, kPF}},
    // What lanes exchange, special registers.
    {N::kSHFL, kNever, &Translator::shuffle, {kIDX}},
    {N::kVOTE, kNever, &Translator::vote, {kEQ}},
    {N::kVOTEU, kNever, &Translator::vote, {kEQ}},
    {N::kMATCH, kNever, &Translator::match, {kANY}},
    {N::kREDUX, kNever, &Translator::reduce, {}},
    {N::kCREDUX, kNever, &Translator::reduce, {kMAX}},
    {N::kELECT, kNever, &Translator::elect, {}},
    {N::kWARPSYNC, kNever, &Translator::warp_sync, {kALL, kEXCLUSIVE, kCOLLECTIVE}},
    {N::kS2R, kNever, &Translator::special_register, {}},
    {N::kS2UR, kNever, &Translator::special_register, {}},
    {N::kCS2R, kNever, &Translator::special_register, {k32}},
    {N::kCS2UR, kNever, &Translator::special_register, {k32}},
    // Products of matrices.
    {N::kMOVM, kNever, &Translator::move_tile, {k16, kMT88, kM832}},
    {N::kHMMA, kNever, &Translator::product, {kF16}},
    {N::kIMMA, kNever, &Translator::product, {}},
    {N::kBMMA, kNever, &Translator::product, {kAND, kPOPC}},
    {N::kQMMA, kNever, &Translator::product, {kF16}},
    {N::kDMMA, kNever, &Translator::double_product, {}},
    {N::kHGMMA, kNever, &Translator::group_product, {kF16}},
    {N::kIGMMA, kNever, &Translator::group_product, {}},
    {N::kBGMMA, kNever, &Translator::group_product, {kAND, kPOPC}},
    {N::kQGMMA, kNever, &Translator::group_product, {kF16}},
    // Copies that are not waited for, barrier objects.
    {N::kLDGSTS, kNever, &Translator::copy, {kE, kBYPASS, kLTC64B, kLTC128B, kLTC256B}},
    {N::kUBLKCP, kNever, &Translator::bulk_copy, {kS, kG}},
    {N::kUBLKRED, kNever, &Translator::bulk_copy, {kS, kG, kRN}},
    {N::kUBLKPF, kNever, &Translator::bulk_prefetch, {kL2}},
    {N::kUTMALDG, kNever, &Translator::tensor_copy, kTensor},
    {N::kUTMASTG, kNever, &Translator::tensor_copy, kTensor},
    {N::kUTMAREDG, kNever, &Translator::tensor_copy, kTensor},
    {N::kUTMAPF, kNever, &Translator::tensor_copy, {kL2, k1D, k2D, k3D, k4D, k5D}},
    {N::kSTAS, kNever, &Translator::asynchronous_store, {}},
    {N::kREDAS, kNever, &Translator::asynchronous_store, {}},
    {N::kSYNCS, kNever, &Translator::barrier_object, {kTRANS64, k64, kARRIVE, kRED, kIV}},
    {N::kARRIVES, kNever, &Translator::arrive_copies, {kLDGSTSBAR, k64}},
};
// clang-format on

void Translator::handle() {
  static const auto kByName = [] {
    std::array<const Handler*, kMnemonics> out{};
    for (const Handler& h : kHandlers) {
      out[static_cast<size_t>(h.name)] = &h;
      if (h.of_warp != kNever) {
        out[static_cast<size_t>(h.of_warp)] = &h;
      }
    }
    return out;
  }();
  const Handler* const h = kByName[static_cast<size_t>(d_.name)];
  uniform_ = h != nullptr && h->of_warp == d_.name;
  if (h == nullptr) {
    missing();
    return;
  }
  name_ = h->name;
  (this->*h->run)();
  std::string unknown;
  for (size_t i = 0; i < d_.mods.size(); ++i) {
    if (!d_.mods.taken(i) && !h->ignored.contains(d_.mods[i])) {
      unknown += ".";
      unknown += text(d_.mods[i]);
    }
  }
  if (!unknown.empty()) {
    missing(unknown);
  }
}

}  // namespace heddle::cubin
