#include <array>

#include "frontends/ptx/form_rows.h"

namespace heddle::ptx {
namespace {

using enum Opcode;

constexpr auto kRows = std::to_array<FormRow>({
    {kBra, "uni?", "l"},
    {kBrxIdx, "uni?", "s:u32 b", 60, 30},
    {kCall, "uni?", ""},  // its operands are its own: resolve_call.cc
    {kRet, "uni?", ""},
    {kExit, "", ""},
    {kTrap, "", ""},
    {kBrkpt, "", ""},
    {kPmevent, "", "i:u32", 14},
    {kPmevent, "mask", "i:u32", 30},
    {kNanosleep, "t=u32", "s:u32", 63, 70},
    {kStacksave, "t=u32,u64", "d:T", 73, 52},
    {kStackrestore, "t=u32,u64", "s:T", 73, 52},
    {kAlloca, "t=u32,u64", "d:T s:T i:u32?", 73, 52},
    {kSetmaxnreg, "mode=inc,dec sync aligned t=u32", "i:u32", 80, kOnly + 90},
    {kGriddepcontrol, "mode=launch_dependents,wait", "", 78, 90},

    {kBarSync, "", "s:u32 s:u32?"},
    {kBarArrive, "", "s:u32 s:u32", 20},
    {kBarRed, "op=popc t=u32", "d:u32 s:u32 p", 20},
    {kBarRed, "op=popc t=u32", "d:u32 s:u32 s:u32 p", 20},
    {kBarRed, "op=and,or t=pred", "d:pred s:u32 p", 20},
    {kBarRed, "op=and,or t=pred", "d:pred s:u32 s:u32 p", 20},
    {kBarrierSync, "aligned?", "s:u32 s:u32?", 60, 30},
    {kBarrierArrive, "aligned?", "s:u32 s:u32", 60, 30},
    {kBarrierRed, "op=popc aligned? t=u32", "d:u32 s:u32 p", 60, 30},
    {kBarrierRed, "op=popc aligned? t=u32", "d:u32 s:u32 s:u32 p", 60, 30},
    {kBarrierRed, "op=and,or aligned? t=pred", "d:pred s:u32 p", 60, 30},
    {kBarrierRed, "op=and,or aligned? t=pred", "d:pred s:u32 s:u32 p", 60, 30},
    {kBarWarpSync, "", "s:b32", 60, 30},
    {kBarrierClusterArrive, "sem?=release,relaxed aligned?", "", 78, 90},
    {kBarrierClusterWait, "sem?=acquire aligned?", "", 78, 90},
    {kMembar, "scope=cta,gl,sys", "", 14},
    {kMembarProxy, "mode=alias", "", 75, 70},
    {kFence, "sem?=sc,acq_rel scope", "", 60, 70},
    {kFence, "sem=acquire,release scope", "", 86, 90},
    {kFence, "sem=acquire sync_restrict::shared::cluster scope=cluster", "", 86, 90},
    {kFence, "sem=release sync_restrict::shared::cta scope=cluster", "", 86, 90},
    {kFenceProxy, "mode=alias", "", 75, 70},
    {kFenceProxy, "mode=async ss?=global,shared::cta,shared::cluster", "", 80, 90},
    {kFenceProxy, "tensormap::generic sem=release scope", "", 83, 90},
    {kFenceProxy, "tensormap::generic sem=acquire scope", "a i:u32", 83, 90},
    {kFenceProxy, "async::generic sem=acquire sync_restrict::shared::cluster scope=cluster", "", 86, 90},
    {kFenceProxy, "async::generic sem=release sync_restrict::shared::cta scope=cluster", "", 86, 90},
    {kFenceMbarrierInit, "sem=release scope=cluster", "", 80, 90},

    {kShfl, "sync mode=up,down,bfly,idx t=b32", "e:T |e:pred? s:T s:b32 s:b32 s:b32", 60, 30},
    {kShfl, "mode=up,down,bfly,idx t=b32", "e:T |e:pred? s:T s:b32 s:b32", 30, 30},
    {kVote, "sync mode=all,any,uni t=pred", "d:T p s:b32", 60, 30},
    {kVote, "sync mode=ballot t=b32", "d:T p s:b32", 60, 30},
    {kVote, "mode=all,any,uni t=pred", "d:T p", 12},
    {kVote, "mode=ballot t=b32", "d:T p", 20},
    {kMatch, "mode=any sync t=b32,b64", "d:b32 s:T s:b32", 60, 70},
    {kMatch, "mode=all sync t=b32,b64", "e:b32 |e:pred? s:T s:b32", 60, 70},
    {kRedux, "sync op=add,min,max t=u32,s32", "d:T s:T s:b32", 70, 80},
    {kRedux, "sync op=and,or,xor t=b32", "d:T s:T s:b32", 70, 80},
    {kRedux, "sync op=min,max abs? NaN? t=f32", "d:T s:T s:b32", 86, kOnly + 100},
    {kActivemask, "t=b32", "d:T", 62, 30},
    {kElect, "sync", "e:b32 |d:pred s:b32", 80, 90},
});

}  // namespace

std::span<const FormRow> control_rows() { return kRows; }

}  // namespace heddle::ptx
