// Special registers (ptx.md 1.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "frontends/ptx/type.h"

namespace heddle::ptx {

// clang-format off
#define HEDDLE_PTX_SPECIALS(X)                                                                                \
  X(kTid, "tid", kU32, 4, 0, 0) X(kNtid, "ntid", kU32, 4, 0, 0) X(kCtaid, "ctaid", kU32, 4, 0, 0)             \
  X(kNctaid, "nctaid", kU32, 4, 0, 0) X(kLaneid, "laneid", kU32, 1, 0, 0) X(kWarpid, "warpid", kU32, 1, 0, 0) \
  X(kNwarpid, "nwarpid", kU32, 1, 20, 0) X(kSmid, "smid", kU32, 1, 0, 0) X(kNsmid, "nsmid", kU32, 1, 0, 0)    \
  X(kGridid, "gridid", kU64, 1, 0, 0)                                                                         \
  X(kIsExplicitCluster, "is_explicit_cluster", kPred, 1, 78, 90)                                              \
  X(kClusterid, "clusterid", kU32, 4, 78, 90) X(kNclusterid, "nclusterid", kU32, 4, 78, 90)                   \
  X(kClusterCtaid, "cluster_ctaid", kU32, 4, 78, 90) X(kClusterNctaid, "cluster_nctaid", kU32, 4, 78, 90)     \
  X(kClusterCtarank, "cluster_ctarank", kU32, 1, 78, 90)                                                      \
  X(kClusterNctarank, "cluster_nctarank", kU32, 1, 78, 90)                                                    \
  X(kLanemaskEq, "lanemask_eq", kU32, 1, 20, 0) X(kLanemaskLe, "lanemask_le", kU32, 1, 20, 0)                 \
  X(kLanemaskLt, "lanemask_lt", kU32, 1, 20, 0) X(kLanemaskGe, "lanemask_ge", kU32, 1, 20, 0)                 \
  X(kLanemaskGt, "lanemask_gt", kU32, 1, 20, 0)                                                               \
  X(kClock, "clock", kU32, 1, 0, 0) X(kClockHi, "clock_hi", kU32, 1, 50, 0)                                   \
  X(kClock64, "clock64", kU64, 1, 20, 0)                                                                      \
  X(kGlobaltimer, "globaltimer", kU64, 1, 31, 0) X(kGlobaltimerLo, "globaltimer_lo", kU32, 1, 31, 0)          \
  X(kGlobaltimerHi, "globaltimer_hi", kU32, 1, 31, 0)                                                         \
  X(kTotalSmemSize, "total_smem_size", kU32, 1, 41, 0) X(kAggrSmemSize, "aggr_smem_size", kU32, 1, 81, 90)    \
  X(kDynamicSmemSize, "dynamic_smem_size", kU32, 1, 41, 0)                                                    \
  X(kReservedSmemOffsetBegin, "reserved_smem_offset_begin", kB32, 1, 76, 80)                                  \
  X(kReservedSmemOffsetEnd, "reserved_smem_offset_end", kB32, 1, 76, 80)                                      \
  X(kReservedSmemOffsetCap, "reserved_smem_offset_cap", kB32, 1, 76, 80)                                      \
  X(kReservedSmemOffset0, "reserved_smem_offset_0", kB32, 1, 76, 80)                                          \
  X(kReservedSmemOffset1, "reserved_smem_offset_1", kB32, 1, 76, 80)                                          \
  X(kCurrentGraphExec, "current_graph_exec", kU64, 1, 80, 50)                                                 \
  X(kEnvreg, "envreg", kB32, 1, 21, 0)   /* envreg0 to envreg31 */                                            \
  X(kPm, "pm", kU32, 1, 13, 0)           /* pm0 to pm7 */                                                     \
  X(kPm64, "pm_64", kU64, 1, 40, 50)     /* pm0_64 to pm7_64 */

enum class SpecialKind : uint8_t {
#define HEDDLE_PTX_X(name, word, type, elements, version, sm) name,
  HEDDLE_PTX_SPECIALS(HEDDLE_PTX_X)
#undef HEDDLE_PTX_X
};
// clang-format on

// The clock of the core; and with it the timers in ns.
constexpr bool counts_cycles(SpecialKind k) {
  return k == SpecialKind::kClock || k == SpecialKind::kClockHi || k == SpecialKind::kClock64;
}
constexpr bool is_clock(SpecialKind k) {
  return counts_cycles(k) || k == SpecialKind::kGlobaltimer || k == SpecialKind::kGlobaltimerLo ||
         k == SpecialKind::kGlobaltimerHi;
}

struct Special {
  SpecialKind kind = SpecialKind::kTid;
  uint8_t element = 0;  // .x .y .z .w: 0 to 3
  uint8_t number = 0;   // of envreg and pm
  bool whole = false;   // a vector without an element: in mov.v4.u32 only

  // As Operand::id.
  uint32_t packed() const {
    return static_cast<uint32_t>(kind) | uint32_t{element} << 8 | uint32_t{number} << 16 |
           (whole ? 1U << 24 : 0);
  }
  static Special unpack(uint32_t id) {
    return {static_cast<SpecialKind>(id & 0xff), static_cast<uint8_t>(id >> 8),
            static_cast<uint8_t>(id >> 16), (id >> 24 & 1) != 0};
  }
};

struct SpecialInfo {
  std::string_view name;  // without %
  Type type;
  uint8_t elements;
  uint8_t version;  // PTX version times ten
  uint16_t sm;
};

const SpecialInfo& info(SpecialKind kind);

// By its name: "%tid.x". Nothing when there is none.
std::optional<Special> special_named(std::string_view name);

}  // namespace heddle::ptx
