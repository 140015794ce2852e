#include <array>

#include "frontends/ptx/form_rows.h"

namespace heddle::ptx {
namespace {

using enum Opcode;

constexpr uint8_t kSince = 86;
constexpr uint16_t kTarget = kFamily + 100;

constexpr auto kRows = std::to_array<FormRow>({
    {kTcgen05Alloc, "group sync aligned ss?=shared::cta t=b32", "a s:u32", kSince, kTarget},
    {kTcgen05Dealloc, "group sync aligned t=b32", "s:b32 s:u32", kSince, kTarget},
    {kTcgen05RelinquishAllocPermit, "group sync aligned", "", kSince, kTarget},

    {kTcgen05Ld, "sync aligned cells=32x32b,16x64b num=@cellnum pack::16b? t=b32", "dn:b32 a", kSince,
     kTarget},
    {kTcgen05Ld, "sync aligned cells=16x128b num=x1,x2,x4,x8,x16,x32,x64 pack::16b? t=b32", "dn2:b32 a",
     kSince, kTarget},
    {kTcgen05Ld, "sync aligned cells=16x256b num=x1,x2,x4,x8,x16,x32 pack::16b? t=b32", "dn4:b32 a", kSince,
     kTarget},
    {kTcgen05Ld, "sync aligned cells=16x32bx2 num=@cellnum pack::16b? t=b32", "dn:b32 a i:u32", kSince,
     kTarget},
    {kTcgen05St, "sync aligned cells=32x32b,16x64b num=@cellnum unpack::16b? t=b32", "a sn:b32", kSince,
     kTarget},
    {kTcgen05St, "sync aligned cells=16x128b num=x1,x2,x4,x8,x16,x32,x64 unpack::16b? t=b32", "a sn2:b32",
     kSince, kTarget},
    {kTcgen05St, "sync aligned cells=16x256b num=x1,x2,x4,x8,x16,x32 unpack::16b? t=b32", "a sn4:b32", kSince,
     kTarget},
    {kTcgen05St, "sync aligned cells=16x32bx2 num=@cellnum unpack::16b? t=b32", "a i:u32 sn:b32", kSince,
     kTarget},
    {kTcgen05WaitLd, "sync aligned", "", kSince, kTarget},
    {kTcgen05WaitSt, "sync aligned", "", kSince, kTarget},
    {kTcgen05FenceAfter, "", "", kSince, kTarget},
    {kTcgen05FenceBefore, "", "", kSince, kTarget},

    {kTcgen05Cp, "group cells=128x256b,4x256b,128x128b", "a s:b64", kSince, kTarget},
    {kTcgen05Cp, "group cells=64x128b quarters=warpx2::02_13,warpx2::01_23", "a s:b64", kSince, kTarget},
    {kTcgen05Cp, "group cells=32x128b quarters=warpx4", "a s:b64", kSince, kTarget},
    {kTcgen05Shift, "group down", "a", kSince, kTarget},

    {kTcgen05Mma, "group kind=@dense hint?=@collect_a", "a s:b64 s:b64 s:b32 p i:u32?", kSince, kTarget},
    {kTcgen05Mma, "group=cta_group::1 kind=@dense hint?=@collect_a", "a s:b64 s:b64 s:b32 s4:b32 p i:u32?",
     kSince, kTarget},
    {kTcgen05Mma, "group=cta_group::2 kind=@dense hint?=@collect_a", "a s:b64 s:b64 s:b32 s8:b32 p i:u32?",
     kSince, kTarget},
    {kTcgen05Mma, "group kind=@dense ashift? hint?=@collect_a", "a a s:b64 s:b32 p i:u32?", kSince, kTarget},
    {kTcgen05Mma, "group=cta_group::1 kind=@dense ashift? hint?=@collect_a",
     "a a s:b64 s:b32 s4:b32 p i:u32?", kSince, kTarget},
    {kTcgen05Mma, "group=cta_group::2 kind=@dense ashift? hint?=@collect_a",
     "a a s:b64 s:b32 s8:b32 p i:u32?", kSince, kTarget},
    {kTcgen05Mma, "group kind=kind::mxf8f6f4 block_scale hint?=scale_vec::1X,block32 hint?=@collect_a",
     "a s:b64 s:b64 s:b32 a a p", kSince, kTarget},
    {kTcgen05Mma, "group kind=kind::mxf8f6f4 block_scale hint?=scale_vec::1X,block32 hint?=@collect_a",
     "a a s:b64 s:b32 a a p", kSince, kTarget},
    {kTcgen05Mma, "group kind=kind::mxf4 block_scale hint?=scale_vec::2X,block32 hint?=@collect_a",
     "a s:b64 s:b64 s:b32 a a p", kSince, kTarget},
    {kTcgen05Mma, "group kind=kind::mxf4 block_scale hint?=scale_vec::2X,block32 hint?=@collect_a",
     "a a s:b64 s:b32 a a p", kSince, kTarget},
    {kTcgen05Mma,
     "group kind=kind::mxf4nvf4 block_scale hint?=scale_vec::2X,scale_vec::4X,block16,block32 "
     "hint?=@collect_a",
     "a s:b64 s:b64 s:b32 a a p", kSince, kTarget},
    {kTcgen05Mma,
     "group kind=kind::mxf4nvf4 block_scale hint?=scale_vec::2X,scale_vec::4X,block16,block32 "
     "hint?=@collect_a",
     "a a s:b64 s:b32 a a p", kSince, kTarget},
    {kTcgen05MmaSp, "group kind=@dense hint?=@collect_a", "a s:b64 s:b64 a s:b32 p i:u32?", kSince, kTarget},
    {kTcgen05MmaSp, "group=cta_group::1 kind=@dense hint?=@collect_a",
     "a s:b64 s:b64 a s:b32 s4:b32 p i:u32?", kSince, kTarget},
    {kTcgen05MmaSp, "group=cta_group::2 kind=@dense hint?=@collect_a",
     "a s:b64 s:b64 a s:b32 s8:b32 p i:u32?", kSince, kTarget},
    {kTcgen05MmaSp, "group kind=@dense ashift? hint?=@collect_a", "a a s:b64 a s:b32 p i:u32?", kSince,
     kTarget},
    {kTcgen05MmaSp, "group kind=@scaled block_scale hint?=@scalevec hint?=@collect_a",
     "a s:b64 s:b64 a s:b32 a a p", kSince, kTarget},
    {kTcgen05MmaWs, "group=cta_group::1 kind=@dense hint?=@collect_b", "a s:b64 s:b64 s:b32 p s:b64?", kSince,
     kTarget},
    {kTcgen05MmaWs, "group=cta_group::1 kind=@dense hint?=@collect_b", "a a s:b64 s:b32 p s:b64?", kSince,
     kTarget},
    {kTcgen05MmaWsSp, "group=cta_group::1 kind=@dense hint?=@collect_b", "a s:b64 s:b64 a s:b32 p s:b64?",
     kSince, kTarget},
    {kTcgen05MmaWsSp, "group=cta_group::1 kind=@dense hint?=@collect_b", "a a s:b64 a s:b32 p s:b64?", kSince,
     kTarget},
    {kTcgen05Commit, "group mbarrier::arrive::one ss?=shared::cluster t=b64", "a", kSince, kTarget},
    {kTcgen05Commit, "group mbarrier::arrive::one ss?=shared::cluster multicast::cluster t=b64", "a s:b16",
     kSince, kTarget},
});

}  // namespace

std::span<const FormRow> tcgen05_rows() { return kRows; }

}  // namespace heddle::ptx
