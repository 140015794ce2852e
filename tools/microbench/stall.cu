// One kernel per kind of wait, for Nsight Compute: which stall reason does the hardware give it? Run under ncu (run.py does).
#include "mb.h"
#define LOOP(n) _Pragma("unroll 1") for (int i_ = 0; i_ < (n); i_++)
#define REP8(x) x; x; x; x; x; x; x; x;
#define KERNEL(name, setup, body, use) __global__ void __launch_bounds__(1024) name(u32* o, u32 k) { __shared__ u32 s[8192]; s[threadIdx.x] = threadIdx.x * 4; __syncthreads(); u32 x = threadIdx.x + k, y = x * 3, z = x * 5; float f = x, g = y; double d = x; u32 a = sptr(s) + threadIdx.x * 4; setup; LOOP(64) { REP8(body) } o[blockIdx.x * blockDim.x + threadIdx.x] = use; (void)y; (void)z; (void)g; (void)d; (void)a; }
KERNEL(w_mufu, , asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(f)), f)
KERNEL(w_mufu_ilp, float h = g + 1; float q = g + 2, asm volatile("ex2.approx.ftz.f32 %0,%0; ex2.approx.ftz.f32 %1,%1; ex2.approx.ftz.f32 %2,%2; ex2.approx.ftz.f32 %3,%3;" : "+f"(f), "+f"(g), "+f"(h), "+f"(q)), f + g + h + q)
KERNEL(w_i2d, , asm volatile("{.reg .f64 t; cvt.rn.f64.u32 t,%0; cvt.rzi.u32.f64 %0,t;}" : "+r"(x)), x)
KERNEL(w_popc_ilp, , asm volatile("popc.b32 %0,%0; popc.b32 %1,%1; popc.b32 %2,%2;" : "+r"(x), "+r"(y), "+r"(z)), x + y + z)
KERNEL(w_ffma, , asm volatile("fma.rn.f32 %0,%0,%0,%1;" : "+f"(f) : "f"(g)), f)
KERNEL(w_imad_ilp, u32 u = x + 7, asm volatile("mad.lo.u32 %0,%0,%0,%4; mad.lo.u32 %1,%1,%1,%4; mad.lo.u32 %2,%2,%2,%4; mad.lo.u32 %3,%3,%3,%4;" : "+r"(x), "+r"(y), "+r"(z), "+r"(u) : "r"(k)), x + y + z + u)
KERNEL(w_iadd_ilp, u32 u = x + 7, asm volatile("xor.b32 %0,%0,%4; add.u32 %1,%1,%4; xor.b32 %2,%2,%4; add.u32 %3,%3,%4;" : "+r"(x), "+r"(y), "+r"(z), "+r"(u) : "r"(k)), x + y + z + u)
KERNEL(w_dfma, double e = d + 1; double h = d + 2, asm volatile("fma.rn.f64 %0,%0,%0,%0; fma.rn.f64 %1,%1,%1,%1; fma.rn.f64 %2,%2,%2,%2;" : "+d"(d), "+d"(e), "+d"(h)), (u32)(d + e + h))
KERNEL(w_lds_chain, a = x * 0 + sptr(s), asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(x) : "r"(a)); a += x & 0, x)
KERNEL(w_lds, , asm volatile("{.reg .u32 t; ld.volatile.shared.u32 t,[%1]; ld.volatile.shared.u32 t,[%1+128]; ld.volatile.shared.u32 t,[%1+256]; ld.volatile.shared.u32 %0,[%1+384];}" : "=r"(x) : "r"(a)), x)
KERNEL(w_sts, , asm volatile("st.volatile.shared.u32 [%1],%0; st.volatile.shared.u32 [%1+128],%0; st.volatile.shared.u32 [%1+256],%0;" ::"r"(x), "r"(a)), x)
KERNEL(w_shfl, , asm volatile("shfl.sync.bfly.b32 %0,%0,1,31,-1; shfl.sync.bfly.b32 %1,%1,1,31,-1; shfl.sync.bfly.b32 %2,%2,1,31,-1;" : "+r"(x), "+r"(y), "+r"(z)), x + y + z)
KERNEL(w_vote, , asm volatile("{.reg .pred p; setp.ne.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,-1;}" : "+r"(x) : "r"(k)), x)
KERNEL(w_match, , asm volatile("match.any.sync.b32 %0,%1,-1;" : "=r"(x) : "r"(y)), x)
KERNEL(w_redux, , asm volatile("redux.sync.add.u32 %0,%0,-1;" : "+r"(x)), x)
KERNEL(w_atoms, , asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(x) : "r"(a), "r"(y)), x)
KERNEL(w_stg, , asm volatile("st.global.u32 [%0],%1;" ::"l"(o + 65536 + threadIdx.x + blockIdx.x * 1024), "r"(x)), x)
KERNEL(w_stg_lines, , asm volatile("st.global.u32 [%0],%1;" ::"l"(o + 65536 + (threadIdx.x + blockIdx.x * 1024) * 32), "r"(x)), x)
KERNEL(w_red, , asm volatile("red.global.add.u32 [%0],%1;" ::"l"(o + 65536), "r"(x)), x)
KERNEL(w_ldg_hit, , asm volatile("{.reg .u32 t; ld.global.ca.u32 t,[%1]; add.u32 %0,%0,t;}" : "+r"(x) : "l"(o + 65536 + threadIdx.x)), x)
KERNEL(w_bar, , __syncthreads(), x)
KERNEL(w_syncwarp, if (threadIdx.x & 1) y++, if (x & 1) { asm volatile("xor.b32 %0,%0,%1;" : "+r"(y) : "r"(k)); } __syncwarp(), y)
KERNEL(w_branch, , asm volatile("{.reg .pred p; setp.eq.u32 p,%1,12345; @!p bra.uni L%=; add.u32 %0,%0,%0; L%=:}" : "+r"(x) : "r"(k)), x)
KERNEL(w_diverge, , if (x & 1) { asm volatile("mad.lo.u32 %0,%0,%0,%1;" : "+r"(x) : "r"(k)); } else { asm volatile("xor.b32 %0,%0,%1;" : "+r"(x) : "r"(z)); }, x)
KERNEL(w_switch, , switch ((x + i_) & 7) { case 0: x = x * 3 + 1; break; case 1: x ^= x >> 3; break; case 2: x += z; break; case 3: x = __popc(x); break; case 4: x = x * x; break; case 5: x -= z; break; case 6: x = max(x, z); break; default: x = x | 5; }, x)
KERNEL(w_fence, , __threadfence(), x)
KERNEL(w_fence_cta, , __threadfence_block(), x)
KERNEL(w_sleep, , __nanosleep(20), x)
KERNEL(w_s2r, , asm volatile("{.reg .u32 t; mov.u32 t,%%laneid; add.u32 %0,%0,t; mov.u32 t,%%tid.y; add.u32 %0,%0,t; }" : "+r"(x)), x)
KERNEL(w_hfma2, , asm volatile("fma.rn.f16x2 %0,%0,%0,%0; fma.rn.f16x2 %1,%1,%1,%1; fma.rn.f16x2 %2,%2,%2,%2;" : "+r"(x), "+r"(y), "+r"(z)), x + y + z)
KERNEL(w_mma, float c[4] = {}, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%4,%5},{%6,%4},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(x), "r"(y), "r"(z)), (u32)(c[0] + c[1] + c[2] + c[3]))
KERNEL(w_banks, float h = g + 1; float q = g + 2, asm volatile("fma.rn.f32 %0,%1,%2,%3; fma.rn.f32 %1,%2,%3,%0; fma.rn.f32 %2,%3,%0,%1; fma.rn.f32 %3,%0,%1,%2;" : "+f"(f), "+f"(g), "+f"(h), "+f"(q)), f + g + h + q)
int main() {
  u32* o = dmalloc<u32>(64 << 20);
  const int sms = nsm();
#define RUN(k) k<<<sms, 256>>>(o, 1); k<<<sms, 1024>>>(o, 1);
  RUN(w_mufu) RUN(w_mufu_ilp) RUN(w_i2d) RUN(w_popc_ilp) RUN(w_ffma) RUN(w_imad_ilp) RUN(w_iadd_ilp) RUN(w_dfma) RUN(w_lds_chain) RUN(w_lds) RUN(w_sts) RUN(w_shfl) RUN(w_vote) RUN(w_match) RUN(w_redux) RUN(w_atoms) RUN(w_stg) RUN(w_stg_lines) RUN(w_red) RUN(w_ldg_hit) RUN(w_bar) RUN(w_syncwarp) RUN(w_branch) RUN(w_diverge) RUN(w_switch) RUN(w_fence) RUN(w_fence_cta) RUN(w_sleep) RUN(w_s2r) RUN(w_hfma2) RUN(w_mma) RUN(w_banks)
  sync();
  return 0;
}
