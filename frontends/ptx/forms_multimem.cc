#include <array>

#include "frontends/ptx/form_rows.h"

namespace heddle::ptx {
namespace {

using enum Opcode;

constexpr auto kRows = std::to_array<FormRow>({
    {kMultimemLdReduce, "sem?=weak ss?=global op=min,max t=s64", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem?=weak ss?=global op=min,max,add t=u32,u64,s32", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem?=weak ss?=global op=and,or,xor t=b32,b64", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem?=weak ss?=global op=add vec? t=f32", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem?=weak ss?=global op=add t=f64", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem?=weak ss?=global op=add,min,max vec? t=f16x2,bf16x2", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem?=weak ss?=global op=add,min,max vec=v2,v4,v8 t=f16,bf16", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=min,max t=s64", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=min,max,add t=u32,u64,s32", "dv:T a", 81,
     90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=and,or,xor t=b32,b64", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=add vec? t=f32", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=add t=f64", "dv:T a", 81, 90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=add,min,max vec? t=f16x2,bf16x2", "dv:T a",
     81, 90},
    {kMultimemLdReduce, "sem=relaxed,acquire scope ss?=global op=add,min,max vec=v2,v4,v8 t=f16,bf16",
     "dv:T a", 81, 90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=min,max t=s64", "a sv:T", 81, 90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=min,max,add t=u32,u64,s32", "a sv:T", 81, 90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=and,or,xor t=b32,b64", "a sv:T", 81, 90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=add vec? t=f32", "a sv:T", 81, 90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=add t=f64", "a sv:T", 81, 90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=add,min,max vec? t=f16x2,bf16x2", "a sv:T", 81,
     90},
    {kMultimemRed, "sem=relaxed,release scope ss?=global op=add,min,max vec=v2,v4,v8 t=f16,bf16", "a sv:T",
     81, 90},
    {kMultimemRed, "ss?=global op=min,max t=s64", "a sv:T", 81, 90},
    {kMultimemRed, "ss?=global op=min,max,add t=u32,u64,s32", "a sv:T", 81, 90},
    {kMultimemRed, "ss?=global op=and,or,xor t=b32,b64", "a sv:T", 81, 90},
    {kMultimemRed, "ss?=global op=add vec? t=f32", "a sv:T", 81, 90},
    {kMultimemRed, "ss?=global op=add t=f64", "a sv:T", 81, 90},
    {kMultimemRed, "ss?=global op=add,min,max vec? t=f16x2,bf16x2", "a sv:T", 81, 90},
    {kMultimemRed, "ss?=global op=add,min,max vec=v2,v4,v8 t=f16,bf16", "a sv:T", 81, 90},
    {kMultimemSt, "sem?=weak ss?=global t=u32,u64,s32,s64,b32,b64,f64", "a sv:T", 81, 90},
    {kMultimemSt, "sem?=weak ss?=global vec=v2,v4,v8 t=f16,bf16", "a sv:T", 81, 90},
    {kMultimemSt, "sem?=weak ss?=global vec? t=f32,f16x2,bf16x2", "a sv:T", 81, 90},
    {kMultimemSt, "sem=relaxed,release scope ss?=global t=u32,u64,s32,s64,b32,b64,f64", "a sv:T", 81, 90},
    {kMultimemSt, "sem=relaxed,release scope ss?=global vec=v2,v4,v8 t=f16,bf16", "a sv:T", 81, 90},
    {kMultimemSt, "sem=relaxed,release scope ss?=global vec? t=f32,f16x2,bf16x2", "a sv:T", 81, 90},
});

}  // namespace

std::span<const FormRow> multimem_rows() { return kRows; }

}  // namespace heddle::ptx
