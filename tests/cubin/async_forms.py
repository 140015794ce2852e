"""Kernels of all forms of mbarrier, cp.async, cp.async.bulk, st.async and bar.warp.sync that ptxas makes something of for sm_90,
with what each stores, by the PTX ISA's words. Each comes twice: by one thread, whose addresses are the warp's registers, and by 32
threads with objects of their own, whose addresses are theirs.

    python3 -m tests.cubin.async_forms > async_forms.ptx
    ptxas -arch=sm_90a -o async_forms.cubin async_forms.ptx && xz -9e async_forms.cubin    # tests/cubin/data/async_forms.cubin.xz
"""
import struct

HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n"
SEMANTICS = {"arrive": ("", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"),
             "wait": ("", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"),
             "tx": ("", ".relaxed.cta", ".relaxed.cluster")}
WORDS = 64
# What `in` has: no byte is 0 or like its neighbour.
INPUT = struct.pack(f"<{WORDS}I", *(0x40302010 + 0x01010101 * i for i in range(WORDS)))
N = 2  # the third argument


class Kernel:
    """`wants`: for each word that is stored what it is in all threads, or by thread."""

    def __init__(self, name, threads, body, cluster=1):
        self.name, self.threads, self.cluster, self.lines, self.wants, self.turn, self.labels = name, threads, cluster, [], [], 0, 0
        body(self)

    def __call__(self, text):
        self.lines.append(text)

    def put(self, register, want):
        self(f"st.global.u32 [%out+{4 * self.threads * len(self.wants)}], {register};")
        self.wants.append([want] * self.threads if isinstance(want, int) else [want(t) for t in range(self.threads)])

    def holds(self, predicate, want):
        self(f"selp.u32 %r9, 1, 0, {predicate};")
        self.put("%r9", want)

    def next(self, kind):
        """One semantics and scope after the other."""
        self.turn += 1
        return SEMANTICS[kind][self.turn % len(SEMANTICS[kind])]

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def wait(self, parity):
        label = self.label()
        self(f"{label}: mbarrier.try_wait.parity.shared.b64 %p1, [%b], {parity}; @!%p1 bra {label};")

    def text(self):
        cluster = f".reqnctapercluster {self.cluster}, 1, 1\n" if self.cluster > 1 else ""
        return f""".visible .entry {self.name}(.param .u64 out, .param .u64 in, .param .u32 n)
.reqntid {self.threads}, 1, 1
{cluster}{{
.reg .b32 %r<20>, %b, %d, %n, %t, %x; .reg .b64 %l<10>, %s, %out, %in, %policy; .reg .pred %p<4>; .reg .b16 %h<2>;
.shared .align 128 .b8 bars[1024], data[8192];
ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; ld.param.u64 %in, [in]; cvta.to.global.u64 %in, %in;
ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %b, bars; mov.u32 %d, data;
{"mad.lo.u32 %b, %t, 32, %b; mad.lo.u32 %d, %t, 256, %d;" if self.threads > 1 else ""}
createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;
mov.u32 %x, %cluster_ctarank; mul.lo.u32 %x, %x, {4 * self.threads * len(self.wants)}; cvt.u64.u32 %l9, %x; add.u64 %out, %out, %l9;
mad.wide.u32 %out, %t, 4, %out;
""" + "\n".join(self.lines) + "\nret;\n}\n"

    def words(self):
        """What its block stores, as it lies there."""
        return [w for all_threads in self.wants for w in all_threads]


def arrivals(k):
    for op in ("arrive", "arrive_drop"):
        for how, count in (("", 1), (", 2", 2), (", %n", N), (".expect_tx", 1), (".noComplete", N)):
            for dest, space in (("%s", "shared::cta"), ("_", "shared::cta"), ("_", "shared::cluster")):
                if how == ".noComplete" and space == "shared::cluster":
                    continue
                expects, partly = how == ".expect_tx", how == ".noComplete"
                k("mbarrier.init.shared.b64 [%b], 5;")
                operand = ", %n" if expects or partly else how
                semantics = ".release.cta" if partly and dest == "_" else "" if partly else k.next("arrive")
                k(f"mbarrier.{op}{how if expects or partly else ''}{semantics}.{space}.b64 {dest}, [%b]{operand};")
                if dest == "%s":
                    k("mbarrier.pending_count.b64 %r1, %s;")
                    k.put("%r1", 5)
                k("mbarrier.test_wait.parity.shared.b64 %p0, [%b], 0;")
                k.holds("%p0", 0)
                k(f"mbarrier.arrive.shared.b64 %l1, [%b], {5 - count}; mbarrier.pending_count.b64 %r1, %l1;")
                k.put("%r1", 5 - count)
                k("mbarrier.test_wait.shared.b64 %p0, [%b], %l1;")
                k.holds("%p0", int(not expects))
                if expects:
                    k("mbarrier.complete_tx.shared::cta.b64 [%b], %n; mbarrier.test_wait.shared.b64 %p0, [%b], %l1;")
                    k.holds("%p0", 1)
                left = 5 - count if op == "arrive_drop" else 5  # of the second phase
                k(f"mbarrier.arrive.shared.b64 _, [%b], {left - 1}; mbarrier.test_wait.parity.shared.b64 %p0, [%b], 1;")
                k.holds("%p0", 0)
                k("mbarrier.arrive.shared.b64 %l1, [%b]; mbarrier.test_wait.parity.shared.b64 %p0, [%b], 1;")
                k.holds("%p0", 1)
                k("mbarrier.pending_count.b64 %r1, %l1;")
                k.put("%r1", 1)


def waits(k):
    for op in ("test_wait", "try_wait"):
        for parity in (False, True):
            for hint in ("", ", 20", ", %n") if op == "try_wait" else ("",):
                k("mbarrier.init.shared.b64 [%b+8], 1; mbarrier.arrive.shared.b64 %s, [%b+8], 1; mbarrier.init.shared.b64 [%b+8], 1;")
                for want in (0, 1):
                    operand = "0" if parity else "%s"
                    k(f"mbarrier.{op}{'.parity' if parity else ''}{k.next('wait')}.shared::cta.b64 %p0, [%b+8], {operand}{hint};")
                    k.holds("%p0", want)
                    if not want:
                        k("mbarrier.arrive.shared.b64 _, [%b+8];")
                k("mbarrier.inval.shared.b64 [%b+8];")


def later_phases(k):
    """States of one phase after the other are waited for: each holds until its own phase is over, and not beyond."""
    k("mbarrier.init.shared.b64 [%b+8], 2;")
    for op in ("test_wait", "try_wait") * 2:
        k("mbarrier.arrive.shared.b64 %l1, [%b+8];")
        for want in (0, 1):
            k(f"mbarrier.{op}{k.next('wait')}.shared::cta.b64 %p0, [%b+8], %l1;")
            k.holds("%p0", want)
            if not want:
                k("mbarrier.arrive.shared.b64 %l2, [%b+8]; mbarrier.pending_count.b64 %r1, %l2;")
                k.put("%r1", 1)
        k(f"mbarrier.{op}.shared::cta.b64 %p0, [%b+8], %l2;")
        k.holds("%p0", 1)


def bytes_of_objects(k):
    for space in (".shared::cta", ".shared::cluster"):
        k(f"mbarrier.init.shared.b64 [%b], 1; mbarrier.expect_tx{k.next('tx')}{space}.b64 [%b], 64;")
        k(f"mbarrier.expect_tx{k.next('tx')}{space}.b64 [%b], %n; mbarrier.arrive.shared.b64 _, [%b];")
        for done, want in (("64", 0), ("%n", 1)):
            k(f"mbarrier.complete_tx{k.next('tx')}{space}.b64 [%b], {done}; mbarrier.test_wait.parity.shared.b64 %p0, [%b], 0;")
            k.holds("%p0", want)


def copies(k):
    number = 0
    for noinc in ("", ".noinc"):
        k(f"mbarrier.init.shared.b64 [%b], 2; st.shared.u32 [%d], 0; cp.async.ca.shared.global [%d], [%in+4], 4;")
        k(f"cp.async.mbarrier.arrive{noinc}.shared.b64 [%b]; mbarrier.arrive.shared.b64 _, [%b];")
        k("mbarrier.test_wait.parity.shared.b64 %p0, [%b], 0;")
        if not noinc:  # the copies' arrival was added to the phase
            k.holds("%p0", 0)
            k("mbarrier.arrive.shared.b64 _, [%b];")
        k.wait(0)
        k("ld.shared.u32 %r1, [%d];")
        k.put("%r1", 0x41312111)
    for cache, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        for prefetch in ("", ".L2::64B", ".L2::128B", ".L2::256B"):
            for left_out in ("", ", %r2", ", %p1"):
                number += 1
                hint = k.threads == 1 and number % 2 == 1  # 32 threads: the translator refuses it
                bytes_read = number % (size + 1) if left_out == ", %r2" else size
                ignored = left_out == ", %p1" and number % 4 < 2
                k(f"st.shared.v4.u32 [%d], {{%n, %n, %n, %n}}; add.u32 %r2, %n, {bytes_read - N}; setp.eq.u32 %p1, %n, {N if ignored else 0};")
                k(f"cp.async.{cache}.shared.global{'.L2::cache_hint' if hint else ''}{prefetch} [%d], [%in+{16 * (number % 8)}], {size}"
                  f"{left_out}{', %policy' if hint else ''}; cp.async.commit_group; cp.async.wait_group 0;")
                data = INPUT[16 * (number % 8):][:0 if ignored else bytes_read].ljust(size, b"\0") + struct.pack("<4I", *[N] * 4)[size:]
                for i, word in enumerate(struct.unpack("<4I", data)):
                    k(f"ld.shared.u32 %r1, [%d+{4 * i}];")
                    k.put("%r1", word)


def words_at(k, space, address, words):
    for i, want in enumerate(words):
        k(f"ld.{space}.u32 %r1, [{address}+{4 * i}];")
        k.put("%r1", want)


def input_words(first, count):
    return list(struct.unpack(f"<{count}I", INPUT[4 * first:4 * (first + count)]))


def bulk(k):
    """By one thread: from and to global memory, to shared memory of the block."""
    k("st.global.v4.u32 [%in+128], {%n, %n, %n, %n};")
    for hint in ("", ".L2::cache_hint"):
        policy = ", %policy" if hint else ""
        for size in ("32", "%r3"):
            k("mov.u32 %r3, 16; mul.lo.u32 %r3, %r3, %n;")  # 32
            for space in ("cta", "cluster"):
                k("mbarrier.init.shared.b64 [%b], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%b], 32; fence.proxy.async;")
                k(f"cp.async.bulk.shared::{space}.global.mbarrier::complete_tx::bytes{hint} [%d], [%in], {size}, [%b]{policy};")
                k.wait(0)
                words_at(k, "shared", "%d", input_words(0, 8))
            k("mbarrier.init.shared.b64 [%b], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%b], 32; fence.proxy.async;")
            k(f"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%d+64], [%d], {size}, [%b];")
            k.wait(0)
            words_at(k, "shared", "%d+64", input_words(0, 8))
            k(f"cp.async.bulk.global.shared::cta.bulk_group{hint} [%in+128], [%d+64], {size}{policy}; cp.async.bulk.commit_group;")
            k("cp.async.bulk.wait_group.read 1; cp.async.bulk.wait_group 0;")
            words_at(k, "global", "%in+128", input_words(0, 8))
            k("st.global.v4.u32 [%in+128], {%n, %n, %n, %n};")
            k(f"cp.async.bulk.prefetch.L2.global{hint} [%in], {size}{policy};")


TYPES = {"u32": "I", "s32": "i", "b32": "I", "u64": "Q", "s64": "q", "b64": "Q", "f32": "f", "f64": "d", "f16": "e", "bf16": None}


def packed(kind, values):
    if kind == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    if kind[0] in "ub":
        values = [v % (1 << int(kind[1:])) for v in values]
    return struct.pack(f"<{len(values)}{TYPES[kind]}", *values)


def unpacked(kind, data):
    if kind == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(TYPES[kind])}{TYPES[kind]}", data))


def combined(op, old, by):
    return {"add": lambda: old + by, "min": lambda: min(old, by), "max": lambda: max(old, by), "inc": lambda: 0 if old >= by else old + 1,
            "dec": lambda: by if old == 0 or old > by else old - 1, "and": lambda: old & by, "or": lambda: old | by,
            "xor": lambda: old ^ by}[op]()


def operands(op, kind):
    """16 bytes that are there, 16 that come, 16 that are right."""
    count = 16 // len(packed(kind, [0]))
    there, come = [5] * count, [[3, -16, 9, 5][i % 4] for i in range(count)]
    there, come = packed(kind, there), packed(kind, come)
    right = [combined(op, a, b) for a, b in zip(unpacked(kind, there), unpacked(kind, come))]
    return [struct.unpack("<4I", d) for d in (there, come, packed(kind, right))]


GLOBAL = [("add", "u32 s32 u64 f16 bf16 f32 f64"), ("min", "u32 s32 u64 s64 f16 bf16"), ("max", "u32 s32 u64 s64 f16 bf16"), ("inc", "u32"),
          ("dec", "u32"), ("and", "b32 b64"), ("or", "b32 b64"), ("xor", "b32 b64")]
SHARED = [("add", "u32 s32 u64"), ("min", "u32 s32"), ("max", "u32 s32"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"), ("or", "b32"),
          ("xor", "b32")]


def set_words(k, space, address, words):
    for i in range(0, len(words), 4):
        k("".join(f"mov.u32 %r{4 + j}, {w:#x}; " for j, w in enumerate(words[i:i + 4])))
        k(f"st.{space}.v4.u32 [{address}+{4 * i}], {{%r4, %r5, %r6, %r7}};")


def reductions(k):
    for op, kinds in GLOBAL:
        for kind in kinds.split():
            there, come, right = operands(op, kind)
            name = f"{op}{'.noftz' if op == 'add' and kind in ('f16', 'bf16') else ''}.{kind}"
            k.turn += 1
            hint, policy = (".L2::cache_hint", ", %policy") if k.turn % 4 == 0 else ("", "")
            set_words(k, "global", "%in+128", there)
            set_words(k, "shared", "%d", come)
            k(f"fence.proxy.async; cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{name} [%in+128], [%d], 16{policy};")
            k("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")
            words_at(k, "global", "%in+128", right)
    for op, kinds in SHARED:
        for kind in kinds.split():
            there, come, right = operands(op, kind)
            set_words(k, "shared", "%d+16", there)
            set_words(k, "shared", "%d", come)
            k("mbarrier.init.shared.b64 [%b], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%b], 16; fence.proxy.async;")
            k(f"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{kind} [%d+16], [%d], 16, [%b];")
            k.wait(0)
            words_at(k, "shared", "%d+16", right)


def stores(k):
    """st.async and red.async, to the block's own memory."""
    where = "shared::cluster.mbarrier::complete_tx::bytes"
    for form, values, count in (("b32", "%r4", 1), ("u64", "%l1", 2), ("v2.b32", "{%r4, %r5}", 2), ("v4.b32", "{%r4, %r5, %r6, %r7}", 4),
                                ("v2.b64", "{%l1, %l2}", 4)):
        words = [0x1234567, 0x89abcdef, 77, 0xffff0000]
        k("".join(f"mov.u32 %r{4 + j}, {w:#x}; " for j, w in enumerate(words)) + "mov.b64 %l1, {%r4, %r5}; mov.b64 %l2, {%r6, %r7};")
        k(f"mbarrier.init.shared.b64 [%b+8], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%b+8], {4 * count}; st.shared.v4.u32 [%d], {{%n, %n, %n, %n}};")
        k(f"st.async.{where}.{form} [%d], {values}, [%b+8];")
        label = k.label()
        k(f"{label}: mbarrier.try_wait.parity.shared.b64 %p1, [%b+8], 0; @!%p1 bra {label};")
        words_at(k, "shared", "%d", words[:count] + [N] * (4 - count))
    for op, kinds in SHARED:
        for kind in kinds.split():
            there, come, right = operands(op, kind)
            wide = kind == "u64"
            set_words(k, "shared", "%d", there)
            k(f"mov.u32 %r4, {come[0]:#x}; mov.u32 %r5, {come[1]:#x}; mov.b64 %l1, {{%r4, %r5}};")
            k(f"mbarrier.init.shared.b64 [%b], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%b], {8 if wide else 4};")
            k(f"red.async.relaxed.cluster.{where}.{op}.{kind} [%d], {'%l1' if wide else '%r4'}, [%b];")
            k.wait(0)
            words_at(k, "shared", "%d", list(right[:2 if wide else 1]) + list(there[2 if wide else 1:]))


def multicast(k):
    """Block 0 of two copies to both and adds to the other's word."""
    k("mbarrier.init.shared.b64 [%b], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%b], 64; fence.proxy.async;")
    k("barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %x, %cluster_ctarank; setp.ne.u32 %p2, %x, 0; mov.u16 %h0, 3;")
    for hint in ("", ".L2::cache_hint"):
        k(f"@!%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{hint} [%d{'+32' if hint else ''}], [%in], 32, "
          f"[%b], %h0{', %policy' if hint else ''};")
    k.wait(0)
    words_at(k, "shared", "%d", input_words(0, 8) * 2)
    k("mapa.shared::cluster.u32 %r4, %b, 1; mapa.shared::cluster.u32 %r5, %d, 1; barrier.cluster.arrive; barrier.cluster.wait;")
    k("@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%b], 20; barrier.cluster.arrive; barrier.cluster.wait;")
    where = "shared::cluster.mbarrier::complete_tx::bytes"
    k(f"@!%p2 st.async.{where}.u32 [%r5], %n, [%r4]; @!%p2 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5+16], [%d], 16, [%r4];")
    label = k.label()
    k(f"{label}: mbarrier.try_wait.parity.shared.b64 %p1, [%b], 1; or.pred %p1, %p1, !%p2; @!%p1 bra {label};")
    k("barrier.cluster.arrive; barrier.cluster.wait; @!%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];")
    k("barrier.cluster.arrive; barrier.cluster.wait; mbarrier.test_wait.parity.shared.b64 %p1, [%b], 0;")
    k("selp.u32 %r9, 1, 0, %p1; ld.shared.u32 %r1, [%d]; ld.shared.u32 %r2, [%d+16]; @!%p2 mov.u32 %r9, 7; @!%p2 mov.u32 %r1, 7; @!%p2 mov.u32 %r2, 7;")
    for register in ("%r9", "%r1", "%r2"):
        k.put(register, 7)


MULTICAST_SECOND = [1, N, 0x40302010]  # the last three words of block 1


def shared_object(k):
    """32 lanes arrive at one object by one instruction, each with its own state."""
    k("mov.u32 %b, bars; setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [%b], 200; bar.warp.sync -1;")
    k("mbarrier.arrive.noComplete.shared.b64 %s, [%b], %n; mbarrier.pending_count.b64 %r1, %s; redux.sync.add.u32 %r2, %r1, -1;")
    k.put("%r2", 32 * 200 - N * 31 * 16)
    k("mbarrier.arrive.shared.b64 %s, [%b]; mbarrier.pending_count.b64 %r1, %s; redux.sync.add.u32 %r2, %r1, -1;")
    k.put("%r2", 32 * (200 - 32 * N) - 31 * 16)
    k("mbarrier.arrive_drop.shared.b64 %s, [%b]; mbarrier.pending_count.b64 %r1, %s; redux.sync.add.u32 %r2, %r1, -1;")
    k.put("%r2", 32 * (200 - 32 * N - 32) - 31 * 16)
    k("@%p0 mbarrier.arrive.shared.b64 _, [%b], 72; bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p1, [%b], 0;")
    k.holds("%p1", 1)
    k("@%p0 mbarrier.arrive.shared.b64 %s, [%b], 168; @%p0 mbarrier.pending_count.b64 %r1, %s; @!%p0 mov.u32 %r1, 168;")
    k.put("%r1", 168)
    k("mbarrier.test_wait.parity.shared.b64 %p1, [%b], 1;")
    k.holds("%p1", 1)


def warp_masks(k):
    """Lanes t with t % 5 < 2 go one way, by masks in registers: those that are there; halves; each lane for itself."""
    some = sum(1 << t for t in range(32) if t % 5 < 2)
    ones = sum(1 << t for t in range(32) if t % 5 == 1)
    there = lambda t: t % 5 < 2
    k("rem.u32 %r2, %t, 5; setp.lt.u32 %p0, %r2, %n; setp.eq.u32 %p1, %r2, 1; mov.u32 %r4, 9;")
    way = k.label()
    k(f"@!%p0 bra {way}; activemask.b32 %r3; bar.warp.sync %r3; vote.sync.ballot.b32 %r4, %p1, %r3; {way}:")
    k.put("%r4", lambda t: ones if there(t) else 9)
    way = k.label()
    k(f"mov.u32 %r4, 9; mov.u32 %r3, {some:#x}; mul.lo.u32 %r5, %n, 0; add.u32 %r3, %r3, %r5;")
    k(f"@!%p0 bra {way}; vote.sync.ballot.b32 %r4, %p1, %r3; {way}:")
    k.put("%r4", lambda t: ones if there(t) else 9)
    for body, want in (("shfl.sync.bfly.b32 %r4, %t, 1, 31, %r3;", lambda t: t ^ 1 if there(t ^ 1) else None),
                       ("match.any.sync.b32 %r4, %r2, %r3;", lambda t: ones if t % 5 == 1 else some & ~ones),
                       ("redux.sync.add.u32 %r4, %t, %r3;", lambda t: sum(i for i in range(32) if there(i))),
                       ("elect.sync %r4|%p2, %r3; selp.u32 %r4, 1, 0, %p2;", lambda t: int(t == 0))):
        way = k.label()
        k(f"mov.u32 %r4, 9; @!%p0 bra {way}; {body} {way}:")
        if body.startswith("shfl"):  # of a lane that is not there nothing is said
            k("xor.b32 %r5, %t, 1; rem.u32 %r5, %r5, 5; setp.ge.u32 %p2, %r5, %n; @%p2 mov.u32 %r4, 9;")
            k.put("%r4", lambda t: t ^ 1 if there(t) and there(t ^ 1) else 9)
        else:
            k.put("%r4", lambda t, want=want: want(t) if there(t) else 9)
    way = k.label()
    k(f"mov.u32 %r4, 9; mov.u32 %r6, 1; shl.b32 %r6, %r6, %t; @!%p0 bra {way}; bar.warp.sync %r6; vote.sync.ballot.b32 %r4, %p0, %r6; {way}:")
    k.put("%r4", lambda t: 1 << t if there(t) else 9)
    k("setp.lt.u32 %p2, %t, 12; selp.u32 %r6, 0xfff, 0xfffff000, %p2; mul.lo.u32 %r7, %n, 0; add.u32 %r6, %r6, %r7; mov.u32 %d, data;")
    k("mad.lo.u32 %r7, %t, 4, %d; st.shared.u32 [%r7], %t; bar.warp.sync %r6; sub.u32 %r5, %t, 11; rem.u32 %r5, %r5, 20; add.u32 %r5, %r5, 12;")
    k("add.u32 %r8, %t, 1; rem.u32 %r8, %r8, 12; selp.u32 %r5, %r8, %r5, %p2; mad.lo.u32 %r7, %r5, 4, %d; ld.shared.u32 %r4, [%r7];")
    k.put("%r4", lambda t: (t + 1) % 12 if t < 12 else 12 + (t - 11) % 20)
    k("@%p0 bar.warp.sync %r3; bar.warp.sync -1;")
    # Half of the warp after the other half of it has ended.
    k("mov.u32 %r6, 0xffff; add.u32 %r6, %r6, %n; sub.u32 %r6, %r6, %n; setp.ge.u32 %p2, %t, 16; mov.u32 %r4, 0;")
    way = k.label()
    k(f"@%p2 bra {way}; bar.warp.sync %r6; vote.sync.ballot.b32 %r4, %p1, %r6; {way}:")
    k.put("%r4", lambda t: ones & 0xffff if t < 16 else 0)


def kernels():
    out = []
    for name, body in (("arrivals", arrivals), ("waits", waits), ("later_phases", later_phases), ("bytes", bytes_of_objects),
                       ("copies", copies), ("stores", stores)):
        out += [Kernel(name + "_1", 1, body), Kernel(name + "_32", 32, body)]
    return out + [Kernel("bulk", 1, bulk), Kernel("reductions", 1, reductions), Kernel("multicast", 1, multicast, 2),
                  Kernel("shared_object", 32, shared_object), Kernel("warp_masks", 32, warp_masks)]


def ptx():
    return HEAD + "".join(k.text() for k in kernels())


if __name__ == "__main__":
    print(ptx(), end="")
