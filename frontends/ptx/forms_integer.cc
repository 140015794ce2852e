#include <array>

#include "frontends/ptx/form_rows.h"

namespace heddle::ptx {
namespace {

using enum Opcode;

constexpr auto kRows = std::to_array<FormRow>({
    {kAdd, "t=@int", "d:T s:T s:T"},
    {kAdd, "sat t=s32", "d:T s:T s:T"},
    {kAdd, "cc t=u32,s32,u64,s64", "d:T s:T s:T"},
    {kAdd, "t=u16x2,s16x2", "d:T s:T s:T", 80, 90},
    {kSub, "t=@int", "d:T s:T s:T"},
    {kSub, "sat t=s32", "d:T s:T s:T"},
    {kSub, "cc t=u32,s32,u64,s64", "d:T s:T s:T"},
    {kAddc, "cc? t=u32,s32,u64,s64", "d:T s:T s:T"},
    {kSubc, "cc? t=u32,s32,u64,s64", "d:T s:T s:T"},
    {kMul, "part=lo,hi t=@int", "d:T s:T s:T"},
    {kMul, "part=wide t=u16,s16,u32,s32", "d:D s:T s:T"},
    {kMul24, "part=lo,hi t=u32,s32", "d:T s:T s:T"},
    {kMad, "part=lo,hi t=@int", "d:T s:T s:T s:T"},
    {kMad, "part=hi sat t=s32", "d:T s:T s:T s:T"},
    {kMad, "part=wide t=u16,s16,u32,s32", "d:D s:T s:T s:D"},
    {kMad, "part=lo,hi cc t=u32,s32,u64,s64", "d:T s:T s:T s:T", 30},
    {kMadc, "part=lo,hi cc? t=u32,s32,u64,s64", "d:T s:T s:T s:T", 30},
    {kMad24, "part=lo,hi t=u32,s32", "d:T s:T s:T s:T"},
    {kMad24, "part=hi sat t=s32", "d:T s:T s:T s:T"},
    {kSad, "t=@int", "d:T s:T s:T s:T"},
    {kDiv, "t=@int", "d:T s:T s:T"},
    {kRem, "t=@int", "d:T s:T s:T"},
    {kAbs, "t=s16,s32,s64", "d:T s:T"},
    {kNeg, "t=s16,s32,s64", "d:T s:T"},
    {kMin, "t=@int", "d:T s:T s:T"},
    {kMin, "relu t=s32", "d:T s:T s:T", 80, 90},
    {kMin, "t=u16x2", "d:T s:T s:T", 80, 90},
    {kMin, "relu? t=s16x2", "d:T s:T s:T", 80, 90},
    {kMax, "t=@int", "d:T s:T s:T"},
    {kMax, "relu t=s32", "d:T s:T s:T", 80, 90},
    {kMax, "t=u16x2", "d:T s:T s:T", 80, 90},
    {kMax, "relu? t=s16x2", "d:T s:T s:T", 80, 90},
    {kPopc, "t=b32,b64", "d:u32 s:T", 20},
    {kClz, "t=b32,b64", "d:u32 s:T", 20},
    {kBfind, "shiftamt? t=u32,s32,u64,s64", "d:u32 s:T", 20},
    {kFns, "t=b32", "d:b32 s:b32 s:b32 s:s32", 60, 30},
    {kBrev, "t=b32,b64", "d:T s:T", 20},
    {kBfe, "t=u32,s32,u64,s64", "d:T s:T s:u32 s:u32", 20},
    {kBfi, "t=b32,b64", "d:T s:T s:T s:u32 s:u32", 20},
    {kSzext, "mode=clamp,wrap t=u32,s32", "d:T s:T s:u32", 76, 70},
    {kBmsk, "mode=clamp,wrap t=b32", "d:T s:T s:T", 76, 70},
    {kDp4a, "t=u32,s32 t=u32,s32", "d:b32 s:b32 s:b32 s:b32", 50, 61},
    {kDp2a, "part=lo,hi t=u32,s32 t=u32,s32", "d:b32 s:b32 s:b32 s:b32", 50, 61},

    {kAnd, "t=pred,b16,b32,b64", "d:T s:T s:T"},
    {kOr, "t=pred,b16,b32,b64", "d:T s:T s:T"},
    {kXor, "t=pred,b16,b32,b64", "d:T s:T s:T"},
    {kNot, "t=pred,b16,b32,b64", "d:T s:T"},
    {kCnot, "t=b16,b32,b64", "d:T s:T"},
    {kShl, "t=b16,b32,b64", "d:T s:T s:u32"},
    {kShr, "t=b16,b32,b64,u16,u32,u64,s16,s32,s64", "d:T s:T s:u32"},
    {kShf, "mode2=l,r mode=clamp,wrap t=b32", "d:T s:T s:T s:u32", 31, 32},
    {kLop3, "t=b32", "d:T s:T s:T s:T i:u32", 43, 50},
    {kLop3, "bool=or,and t=b32", "e:T |d:pred s:T s:T s:T i:u32 p", 82, 70},
    {kPrmt, "t=b32 mode?=f4e,b4e,rc8,ecl,ecr,rc16", "d:T s:T s:T s:b32", 20},

    {kSetp, "cmp=eq,ne bool? t=b16,b32,b64", "e:pred |e:pred? s:T s:T p&bool"},
    {kSetp, "cmp=eq,ne,lt,le,gt,ge bool? t=s16,s32,s64", "e:pred |e:pred? s:T s:T p&bool"},
    {kSetp, "cmp=@ucmp bool? t=u16,u32,u64", "e:pred |e:pred? s:T s:T p&bool"},
    {kSet, "cmp=eq,ne bool? t=u32,s32,f32 t=b16,b32,b64", "d:T s:U s:U p&bool"},
    {kSet, "cmp=eq,ne,lt,le,gt,ge bool? t=u32,s32,f32 t=s16,s32,s64", "d:T s:U s:U p&bool"},
    {kSet, "cmp=@ucmp bool? t=u32,s32,f32 t=u16,u32,u64", "d:T s:U s:U p&bool"},
    {kSet, "cmp=eq,ne bool? t=f16,bf16 t=b16,b32,b64", "d:T s:U s:U p&bool", 42, 53},
    {kSet, "cmp=eq,ne,lt,le,gt,ge bool? t=f16,bf16 t=s16,s32,s64", "d:T s:U s:U p&bool", 42, 53},
    {kSet, "cmp=@ucmp bool? t=f16,bf16 t=u16,u32,u64", "d:T s:U s:U p&bool", 42, 53},
    {kSelp, "t=b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64", "d:T s:T s:T p"},
    {kSlct, "t=b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64 t=s32", "d:T s:T s:T s:U"},
    {kSlct, "ftz? t=b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64 t=f32", "d:T s:T s:T s:U"},
});

}  // namespace

std::span<const FormRow> integer_rows() { return kRows; }

}  // namespace heddle::ptx
