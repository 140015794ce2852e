#include <array>

#include "frontends/ptx/form_rows.h"

namespace heddle::ptx {
namespace {

using enum Opcode;

// The last two operands of tex and tld4: an offset vector and a depth to compare with.
constexpr auto kRows = std::to_array<FormRow>({
    {kTex, "geom=@texgeom vec=v4 t=u32,s32,f32 t=s32,f32", "d4:T |e:pred? [ o s*:U ] s*:*? s:f32?"},
    {kTex, "geom=@texgeom vec=v4 t=u32,s32,f32 t=s32,f32", "d4:T |e:pred? [ o o s*:U ] s*:*? s:f32?", 15},
    {kTex, "geom=@texgeom vec=v2 t=f16x2 t=s32,f32", "d2:T |e:pred? [ o s*:U ] s*:*? s:f32?", 42, 53},
    {kTex, "geom=@texgeom vec=v2 t=f16x2 t=s32,f32", "d2:T |e:pred? [ o o s*:U ] s*:*? s:f32?", 42, 53},
    {kTex, "mode=base geom=@texgeom vec=v4 t=u32,s32,f32 t=s32,f32", "d4:T |e:pred? [ o s*:U ] s*:*? s:f32?",
     31},
    {kTex, "mode=base geom=@texgeom vec=v4 t=u32,s32,f32 t=s32,f32",
     "d4:T |e:pred? [ o o s*:U ] s*:*? s:f32?", 31},
    {kTex, "mode=level geom=@texgeom vec=v4 t=u32,s32,f32 t=f32",
     "d4:T |e:pred? [ o s*:U ] s:f32 s*:*? s:f32?", 31},
    {kTex, "mode=level geom=@texgeom vec=v4 t=u32,s32,f32 t=f32",
     "d4:T |e:pred? [ o o s*:U ] s:f32 s*:*? s:f32?", 31},
    {kTex, "mode=level geom=@texgeom vec=v2 t=f16x2 t=f32", "d2:T |e:pred? [ o s*:U ] s:f32 s*:*? s:f32?", 42,
     53},
    {kTex, "mode=grad geom=@texgeom vec=v4 t=u32,s32,f32 t=f32",
     "d4:T |e:pred? [ o s*:U ] s*:f32 s*:f32 s*:*? s:f32?", 31},
    {kTex, "mode=grad geom=@texgeom vec=v4 t=u32,s32,f32 t=f32",
     "d4:T |e:pred? [ o o s*:U ] s*:f32 s*:f32 s*:*? s:f32?", 31},
    {kTex, "mode=grad geom=@texgeom vec=v2 t=f16x2 t=f32",
     "d2:T |e:pred? [ o s*:U ] s*:f32 s*:f32 s*:*? s:f32?", 42, 53},
    {kTld4, "chan geom=2d,a2d,cube,acube vec=v4 t=u32,s32,f32 t=f32", "d4:T |e:pred? [ o s*:U ] s*:*? s:f32?",
     22},
    {kTld4, "chan geom=2d,a2d,cube,acube vec=v4 t=u32,s32,f32 t=f32",
     "d4:T |e:pred? [ o o s*:U ] s*:*? s:f32?", 22},
    {kTxq,
     "mode=width,height,depth,channel_data_type,channel_order,normalized_coords,array_size,num_mipmap_levels,"
     "num_samples,force_unnormalized_coords,filter_mode,addr_mode_0,addr_mode_1,addr_mode_2 t=b32",
     "d:T [ o ]", 15},
    {kTxq, "mode2=level mode=width,height,depth t=b32", "d:T [ o ] s:s32", 43},
    {kSuq, "mode=width,height,depth,channel_data_type,channel_order,array_size,memory_layout t=b32",
     "d:T [ o ]", 15},
    {kIstypep, "t=texref,samplerref,surfref", "d:pred m:u64", 40},
    {kSuld, "mode2=b geom=1d,2d,3d,a1d,a2d cop?=ca,cg,cs,cv vec? t=b8,b16,b32,b64 mode=trap,clamp,zero",
     "dv:~T [ o s*:s32 ]", 15},
    {kSust, "mode2=b geom=1d,2d,3d,a1d,a2d cop?=wb,cg,cs,wt vec? t=b8,b16,b32,b64 mode=trap,clamp,zero",
     "[ o s*:s32 ] sv:~T", 15},
    {kSust, "mode2=p geom=1d,2d,3d,a1d,a2d vec? t=b32,u32,s32,f32 mode=trap,clamp,zero", "[ o s*:s32 ] sv:T",
     20},
    {kSured, "mode2=b op=add geom=1d,2d,3d t=u32,s32,u64 mode=trap,clamp,zero", "[ o s*:s32 ] s:T", 30},
    {kSured, "mode2=b op=min,max geom=1d,2d,3d t=u32,s32,u64,s64 mode=trap,clamp,zero", "[ o s*:s32 ] s:T",
     30},
    {kSured, "mode2=b op=and,or geom=1d,2d,3d t=b32,b64 mode=trap,clamp,zero", "[ o s*:s32 ] s:T", 30},
    {kSured, "mode2=p op=add,min,max geom=1d,2d,3d t=b32,u32,s32 mode=trap,clamp,zero", "[ o s*:s32 ] s:T",
     30},
    {kSured, "mode2=p op=and,or geom=1d,2d,3d t=b32 mode=trap,clamp,zero", "[ o s*:s32 ] s:T", 30},
});

}  // namespace

std::span<const FormRow> texture_rows() { return kRows; }

}  // namespace heddle::ptx
