"""Raw sm_90 SASS experiments: overwrites placeholder instructions of tmpl.cubin and launches it through the driver API.

An instruction is two 64-bit words: opcode 0-11, predicate 12-15, Rd 16-23, Ra 24-31, Rb 32-39, Rc 64-71 and, from bit 105, the control bits
(stall 4, yield-inverted 1, write barrier 3, read barrier 3, wait mask 6, reuse 4).
"""
import ctypes, struct

RZ = 255


def ctl(hi, st=1, y=None, wb=7, rb=7, wm=0, reuse=0):
    """y is the raw bit: 1 = do not yield. A stall above 11 only waits that long with y = 0."""
    if y is None:
        y = 0 if st >= 12 else 1
    return (hi & ((1 << 41) - 1)) | (st | y << 4 | wb << 5 | rb << 8 | wm << 11 | reuse << 17) << 41


def ins(op, hi=0, rd=0, ra=0, rb_=0, rc=None, imm=None, off=None, p=7, lo=0, **c):
    lo |= op | p << 12 | rd << 16 | ra << 24
    lo |= (imm & 0xFFFFFFFF) << 32 if imm is not None else rb_ << 32
    if off is not None:
        lo |= (off & 0xFFFFFF) << 40
    if rc is not None:
        hi = (hi & ~0xFF) | rc
    return (lo, ctl(hi, **c))


def FFMA(d, a, b, c, **k): return ins(0x223, 0, d, a, b, c, **k)
def FADD(d, a, b, **k): return ins(0x221, 0, d, a, b, **k)
def FADDI(d, a, imm, **k): return ins(0x421, 0, d, a, imm=imm, **k)
def FMUL(d, a, b, **k): return ins(0x220, 0x400000, d, a, b, **k)
def IADD3(d, a, b, c=RZ, **k): return ins(0x210, 0x07FFE000, d, a, b, c, **k)
def LOP3(d, a, b, c=RZ, lut=0x3C, **k): return ins(0x212, 0x078E0000 | lut << 8, d, a, b, c, **k)
def IMAD(d, a, b, c, **k): return ins(0x224, 0x078E0200, d, a, b, c, **k)
def IMADW(d, a, b, c, **k): return ins(0x225, 0x078E0200, d, a, b, c, **k)
def DFMA(d, a, b, c, **k): return ins(0x22B, 0, d, a, b, c, **k)
def DADD(d, a, c, **k): return ins(0x229, 0, d, a, 0, c, **k)
def HFMA2(d, a, b, c, **k): return ins(0x231, 0, d, a, b, c, **k)
def HFMA2M(d, a, b, c, **k): return ins(0x235, 0, d, a, b, c, **k)
def MOVI(d, imm, **k): return ins(0x802, 0xF00, d, imm=imm, **k)
def MOV(d, b, **k): return ins(0x202, 0xF00, d, 0, b, **k)
def NOP(**k): return ins(0x918, 0, **k)
def CLK(d, **k): return ins(0x805, 0x15000, d, **k)
def CLK32(d, **k): return ins(0x805, 0x5000, d, **k)
def LDS(d, a, w=32, off=0, **k): return ins(0x984, {32: 0x800, 64: 0xA00, 128: 0xC00}[w], d, a, off=off, **k)
def STS(a, b, w=32, off=0, **k): return ins(0x388, {32: 0x800, 64: 0xA00, 128: 0xC00}[w], 0, a, b, off=off, **k)
def LDG(d, a, w=32, off=0, ur=4, **k): return ins(0x981, {32: 0x0C1E1900, 64: 0x0C1E1B00, 128: 0x0C1E1D00}[w], d, a, ur, off=off, **k)
def STG(a, b, w=32, off=0, ur=4, **k): return ins(0x986, {32: 0x0C101900, 64: 0x0C101B00, 128: 0x0C101D00}[w] | ur, 0, a, b, off=off, **k)
def LDC(d, off, w=32, **k): return ins(0xB82, 0x800 if w == 32 else 0xA00, d, RZ, off=off // 4 << 0, **k) if False else (0xB82 | 7 << 12 | d << 16 | 0xFF << 24 | (off // 4) << 40, ctl(0x800 if w == 32 else 0xA00, **k))
def LDCR(d, a, off=0, **k): return (0xB82 | 7 << 12 | d << 16 | a << 24 | (off // 4) << 40, ctl(0x800, **k))
def ULDC(u, off, w=32, **k): return (0xAB9 | 7 << 12 | u << 16 | (off // 4) << 40, ctl(0x800 if w == 32 else 0xA00, **k))
def S2R(d, sr=0x21, **k): return ins(0x919, sr << 8, d, **k)
def MUFU(d, b, f=0x800, **k): return ins(0x308, f, d, 0, b, **k)
def POPC(d, b, **k): return ins(0x309, 0, d, 0, b, **k)
def SHFL(d, a, **k): return (0x0E001F0000007F89 & ~0xF000 | 7 << 12 | d << 16 | a << 24, ctl(0x000E0000, **k))
def ISETPNE(pd, a, b, **k): return ins(0x20C, 0x03F05070 | pd << 17, 0, a, b, **k)
def SEL(d, a, b, ps, **k): return ins(0x207, ps << 23, d, a, b, **k)
def BRA(v, p=7, **k): return (0x947 | p << 12 | (v & 0xFF) << 16 | ((v >> 8) & 0x3FFFFFFF) << 34, ctl(0x03800000 | ((v >> 38) & 0x3FFFF), **k))
def EXIT(**k): return ins(0x94D, 0x03800000, **k)
def R2UR(u, a, **k): return ins(0x2CA, 0x0E0000, u, a, **k)
def MOVU(d, u, **k): return ins(0xC02, 0x8000F00, d, 0, u, **k)
def UIADD3(d, a, b, **k): return ins(0x290, 0x0FFFE03F, d, a, b, **k)
def BARSYNC(**k): return ins(0xB1D, 0x10000, **k)


class Gpu:
    def __init__(self, cubin):
        self.cu = ctypes.CDLL("libcuda.so.1")
        self.img = bytearray(open(cubin, "rb").read())
        d = self.img
        shoff = struct.unpack_from("<Q", d, 40)[0]
        n, si = struct.unpack_from("<H", d, 60)[0], struct.unpack_from("<H", d, 62)[0]
        secs = [struct.unpack_from("<IIQQQQ", d, shoff + 64 * i) for i in range(n)]
        names = {}
        for s in secs:
            a = secs[si][4] + s[0]
            names[d[a:d.index(b"\0", a)].decode()] = s
        t = names[".text.tmpl"]
        self.t0, self.tn = t[4], t[5]
        ni = names[".nv.info"]
        blob = d[ni[4]:ni[4] + ni[5]]
        i = bytes(blob).index(b"\x04\x2f\x08\x00")
        struct.pack_into("<I", d, ni[4] + i + 8, 64)
        ops = [struct.unpack_from("<Q", d, self.t0 + 16 * i)[0] & 0xFFF for i in range(self.tn // 16)]
        self.setup = [i for i, o in enumerate(ops) if o == 0x300]
        # longest contiguous run of POPC
        pop = [i for i, o in enumerate(ops) if o == 0x309]
        self.region = pop
        assert pop[-1] - pop[0] + 1 == len(pop), "region not contiguous"
        clk = [i for i, o in enumerate(ops) if o == 0x805]
        self.clks = [i for i in clk]
        # out record registers: STG data registers of the three stores after the region
        st = [i for i, o in enumerate(ops) if o == 0x986 and i > pop[-1]]
        regs = [(struct.unpack_from("<Q", d, self.t0 + 16 * i)[0] >> 32) & 255 for i in st]
        self.rt0, self.rt1 = regs[0], regs[1]
        lo = struct.unpack_from("<Q", d, self.t0 + 16 * pop[0])[0]
        self.rx = lo >> 16 & 255
        c = self.cu
        self.ck(c.cuInit(0))
        dev = ctypes.c_int()
        self.ck(c.cuDeviceGet(ctypes.byref(dev), 0))
        ctx = ctypes.c_void_p()
        self.ck(c.cuDevicePrimaryCtxRetain(ctypes.byref(ctx), dev))
        self.ck(c.cuCtxSetCurrent(ctx))
        self.out, self.g = self.alloc(1 << 20), self.alloc(64 << 20)

    def ck(self, r):
        if r:
            raise RuntimeError(f"driver error {r}")

    def alloc(self, n):
        p = ctypes.c_uint64()
        self.ck(self.cu.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(n)))
        self.ck(self.cu.cuMemsetD8_v2(p, ctypes.c_ubyte(0), ctypes.c_size_t(n)))
        return p

    def put(self, img, i, w):
        struct.pack_into("<QQ", img, self.t0 + 16 * i, *w)

    def run(self, setup, code, threads=32, grid=1, launches=2, own_clocks=True, smem=65536):
        """setup runs once, code in each of four passes; returns per warp (t1 - t0 from registers rt0, rt1, check register, t0, t1)."""
        img = bytearray(self.img)
        assert len(setup) <= len(self.setup) and len(code) <= len(self.region), (len(setup), len(code))
        for k, i in enumerate(self.setup):
            self.put(img, i, setup[k] if k < len(setup) else NOP())
        for k, i in enumerate(self.region):
            self.put(img, i, code[k] if k < len(code) else NOP())
        if own_clocks:
            for i in self.clks:
                self.put(img, i, NOP())
        c = self.cu
        mod, fn = ctypes.c_void_p(), ctypes.c_void_p()
        self.ck(c.cuModuleLoadData(ctypes.byref(mod), (ctypes.c_char * len(img)).from_buffer(img)))
        self.ck(c.cuModuleGetFunction(ctypes.byref(fn), mod, b"tmpl"))
        self.ck(c.cuFuncSetAttribute(fn, 8, smem))
        a = [self.out, self.g, self.g, ctypes.c_uint32(1), ctypes.c_uint32(2)]
        arr = (ctypes.c_void_p * 5)(*[ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in a])
        for _ in range(launches):
            self.ck(c.cuLaunchKernel(fn, grid, 1, 1, threads, 1, 1, smem, None, arr, None))
        self.ck(c.cuCtxSynchronize())
        n = threads // 32
        buf = (ctypes.c_uint64 * (4 * n))()
        self.ck(c.cuMemcpyDtoH_v2(buf, self.out, ctypes.c_size_t(32 * n)))
        self.ck(c.cuModuleUnload(mod))
        return [(buf[4 * w + 1] - buf[4 * w], buf[4 * w + 2] & 0xFFFFFFFF, buf[4 * w], buf[4 * w + 1]) for w in range(n)]
