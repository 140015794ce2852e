#include <array>

#include "frontends/ptx/form_rows.h"

namespace heddle::ptx {
namespace {

using enum Opcode;

// Which part of a register is meant stands behind its name (%r1.b0, %r2.h1, %r3.b3210) and is not a modifier.
constexpr auto kRows = std::to_array<FormRow>({
    {kVadd, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVsub, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVabsdiff, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVmin, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVmax, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVshl, "t=u32,s32 t=u32,s32 t=u32 sat? mode=clamp,wrap op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVshr, "t=u32,s32 t=u32,s32 t=u32 sat? mode=clamp,wrap op?=add,min,max", "d:T s:U s:V s:T?", 20},
    {kVmad, "t=u32,s32 t=u32,s32 t=u32,s32 po? sat? mode?=shr7,shr15", "d:T s:U s:V s:T", 20},
    {kVset, "t=u32,s32 t=u32,s32 cmp=eq,ne,lt,le,gt,ge op?=add,min,max", "d:u32 s:T s:U s:u32?", 20},

    {kVadd2, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVsub2, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVavrg2, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVabsdiff2, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVmin2, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVmax2, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVset2, "t=u32,s32 t=u32,s32 cmp=eq,ne,lt,le,gt,ge op?=add", "d:u32 s:T s:U s:u32", 30},
    {kVadd4, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVsub4, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVavrg4, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVabsdiff4, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVmin4, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVmax4, "t=u32,s32 t=u32,s32 t=u32,s32 sat? op?=add", "d:T s:U s:V s:T", 30},
    {kVset4, "t=u32,s32 t=u32,s32 cmp=eq,ne,lt,le,gt,ge op?=add", "d:u32 s:T s:U s:u32", 30},
});

}  // namespace

std::span<const FormRow> video_rows() { return kRows; }

}  // namespace heddle::ptx
