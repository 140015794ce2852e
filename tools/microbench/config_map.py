"""Which rows of a results file give which field of a configuration: one line per field, used by fill_config.py.

(path, kind, rounding, formula). The formula gets the rows (rows.py) and a function that returns the present value of a
field: what a line above has filled in, or the base's. Kinds as in configs/README.md: MEASURED is one number read off,
DERIVED has other values or an assumed split in it. Rounding: decimals, POW2 the nearest power of two, DOWN an integer.

Rows that later ones replaced are not used: A IMAD_WIDE timed IMAD (X interval and min_stall instead), A HFMA2 a chain
of HFMA2 and HFMA2.MMA in turn, A S2R_* a read with its overhead (X S2R_latency), A FADD ... with several warps from before
sched.cu (their intervals are read at the ILP at which they agree).
"""
import math

from rows import Missing, after, at_full_speed, crossing, drain, power_of_two

M, D = "MEASURED", "DERIVED"
POW2, DOWN = "nearest power of two", "rounded down"

CHAIN = "latency: 1 warp ILP1"
BUSY = "8 warps/subcore ILP1"
# Cycles of the model's path to the L2 and back that are no field of their own: queue, tags, writeback.
PATH = 14
# A timed load of l2.cu has this much of the clock reads in it.
TIMED = 4
# A read-barrier release of sass/exp.py: clock reads and the wait.
RELEASE = 5


def driver_clock_ratio(r, c):
    """The driver counts GDDR's data strobe, clocks.dram_mhz a command clock that may be a power of two slower."""
    return power_of_two(max(1, r("P", "memory_clock_max") / c("clocks.dram_mhz")))


def bus_bits_of_base(r, c):
    """Bits of the base's bus; call before clocks.dram_mhz changes by more than the product."""
    return c("dram.bytes_per_cycle") * c("dram.channels") * 8 / (2 * driver_clock_ratio(r, c))


def channels(r, c):
    """As the base does it, wider or narrower, so that every slice has whole channels or every channel whole slices."""
    wanted = c("dram.channels") * r("P", "memory_bus_bits") / bus_bits_of_base(r, c)
    slices = c("l2.slices")
    legal = [n for n in range(1, slices + 1) if slices % n == 0] + [slices * n for n in range(2, 9)]
    return min(legal, key=lambda n: abs(n - wanted))


def ways(r, c):
    lines = c("l2.total_bytes") // c("l2.line_bytes")
    fitting = [w for w in range(4, 65) if lines % (c("l2.slices") * w) == 0]
    if not fitting:
        raise Missing("a number of l2.ways that divides P l2_bytes")
    return min(fitting, key=lambda w: abs(w - c("l2.ways")))


def slices(r, c):
    """In whole groups of 8 where some are fused off."""
    return 8 * math.ceil(r("P", "lts__cycles_elapsed.sum") / r("P", "lts__cycles_elapsed.avg") / 8 - 0.01)


def tpcs(r, c):
    """Largest first: which GPCs are the long ones differs from chip to chip."""
    sizes = []
    while ("G", f"gpc{len(sizes)}_smids") in r.groups:
        sizes.append(r("G", f"gpc{len(sizes)}_smids"))
    r.used[:] = ["G gpc<n>_smids"]
    if sum(sizes) != c("topology.sms") or any(s % c("topology.sms_per_tpc") for s in sizes):
        raise Missing("G gpc<n>_smids with all SMs in them")
    return sorted((int(s / c("topology.sms_per_tpc")) for s in sizes), reverse=True)


def launch_overhead(r, c):
    """Of the empty kernels of at most two blocks per SM: elapsed less active."""
    spans = []
    for kernel in ("block (32 1 1)", "block (256 1 1)", "block (1024 1 1)"):
        for blocks in (1, 132, 264):
            for mode in ("all", "none"):
                name = f"k_empty() grid ({blocks} 1 1) {kernel} cache-control {mode}"
                try:
                    spans.append(r("G", "gpc__cycles_elapsed.max", name) - r("G", "sm__cycles_active.max", name))
                except Missing:
                    pass
    r.used[:] = ["G gpc__cycles_elapsed.max less sm__cycles_active.max of k_empty"]
    if not spans:
        raise Missing(r.used[0])
    return sorted(spans)[len(spans) // 2]


def retire_interval(r, c):
    """Less for the smaller of two grids of empty blocks, both many waves or filled by the distributor alone."""
    name = "k_empty() grid (%d 1 1) block (256 1 1) cache-control none"
    return (r("G", "gpc__cycles_elapsed.max", name % 13200) - r("G", "gpc__cycles_elapsed.max", name % 1320)) / (13200 - 1320)


def footprint(r, warps, chunk):
    return r.curve("H", "code_footprint_", "KB", f"{warps} warps in block; chunk {chunk} instr")


def plateau(r, kb, warps=1):
    """Cycles per instruction of a loop of that much code."""
    points = dict(footprint(r, warps, 256))
    if kb not in points:
        raise Missing(f"H code_footprint_{kb}KB ({warps} warps in block; chunk 256 instr)")
    return points[kb]


def cold_chunks(r):
    """Cycles per KiB of code never run before, all caches flushed."""
    return r.numbers("H", "cold_code_per_1KB_chunk_under_ncu_flush", "list:", "1 warps")


def cold_run(r):
    """Chunks (a little over 1 KiB each) until it is slow again; the first ones were."""
    chunks = cold_chunks(r)
    slow = [x > 3 * sorted(chunks)[len(chunks) // 2] for x in chunks]
    first = slow.index(False)
    if True not in slow[first:]:
        raise Missing("H cold_code_per_1KB_chunk_under_ncu_flush long enough to be slow again")
    return slow.index(True, first)


def constants_l0(r):
    points = r.by_condition("I", "LDC_chase", r"working set (\d+) B; stride 4 B")
    return max(x for x, y in points if y < min(p[1] for p in points) + 0.5)


def constants_l1(r):
    points = r.by_condition("I", "LDC_chase", r"working set (\d+) B; stride 64 B")
    flat = sorted(p[1] for p in points)[-3]
    return max(x for x, y in points if y < 1.05 * flat)


def constants_hit_l1(r):
    points = dict(r.by_condition("I", "LDC_chase", r"working set (\d+) B; stride 64 B"))
    if 16384 not in points:
        raise Missing("I LDC_chase (working set 16384 B; stride 64 B)")
    return points[16384]


def warp_starts(r):
    starts = r.numbers("G", "warp_start_offsets_in_block", "threads:")
    return starts[1] - starts[0]


def cycles16816(r):
    return round(r.least("A", "HMMA.16816.F32", "8 warps per SM; 4 independent accumulators"))


def cycles1688(r):
    return round(r.least("A", "HMMA.1688.F32", "8 warps per SM; 4 independent accumulators"))


def dmma(r, shape):
    return round(r.least("A", f"DMMA.{shape}", "8 warps per SM; 1 independent accumulators"))


def chain(r, name):
    return round(r("A", name, "1 warps per SM; 1 independent accumulators"))


def bar_interval(r, c):
    """Of a loop of __syncthreads, what each further warp adds."""
    return (r("F", "syncthreads_back_to_back", "32 warps") - r("F", "syncthreads_back_to_back", "16 warps")) / 16


def near_hit(r):
    return r("C", "L2hit_latency_mean_all_SMs") - TIMED


def cold(r, quartile):
    """Half of the lines are far: the quartiles are the medians of near and far."""
    return r.inside("C", "DRAM_cold_latency_p50", rf"p{quartile} (\d+)")


def dram_efficiency(r, c):
    peak = c("dram.channels") * c("dram.bytes_per_cycle") * c("clocks.dram_mhz") / c("clocks.core_mhz")
    share = r.most("D", "DRAM_read_LDG128", "{sms} SMs") / peak
    if share > 1:
        raise Missing(f"D DRAM_read_LDG128 below the peak of {peak:.0f} bytes per cycle")
    return share


def l2_ratio(c):
    return c("clocks.core_mhz") / c("clocks.l2_mhz")


# The order matters where a formula asks for a field. limits.* are NVIDIA's word and not here.
FIELDS = [
    ("topology.sms", M, 0, lambda r, c: r.sms()),
    ("topology.tpcs_per_gpc", M, None, tpcs),
    ("clocks.core_mhz", M, 0, lambda r, c: r("META", "sm_clock")),
    ("clocks.l2_mhz", M, 0, lambda r, c: r("P", "lts__cycles_elapsed.avg.per_second") / 1e6),
    # The bus before the clock: it asks for the base's.
    ("l2.slices", D, 0, slices),
    ("l2.total_bytes", M, 0, lambda r, c: r("P", "l2_bytes")),
    ("l2.ways", D, 0, ways),
    ("l2.max_persisting_bytes", M, 0, lambda r, c: r("P", "persisting_l2_bytes")),
    ("dram.channels", D, 0, channels),
    ("dram.bytes_per_cycle", M, None, lambda r, c: r("P", "memory_bus_bits") / 8 * 2 * driver_clock_ratio(r, c) / c("dram.channels")),
    ("clocks.dram_mhz", M, 2, lambda r, c: r("P", "memory_clock_max") / driver_clock_ratio(r, c)),
    ("dram.total_bytes", M, -7, lambda r, c: r("P", "memory_bytes")),

    ("sm.issue.stall_zero_cycles", M, 0, lambda r, c: r("X", "stall_yield", "stall 0; yield bit 0; one warp")),
    ("sm.issue.branch_cycles", M, 0, lambda r, c: r.least("X", "BRA_to_next")),

    ("sm.fetch.l0_bytes", D, POW2, lambda r, c: 1024 * crossing(footprint(r, 1, 64), *[dict(footprint(r, 1, 64))[x] for x in (24, 48)])),
    ("sm.fetch.l1_bytes", D, POW2, lambda r, c: 1024 * crossing([p for p in footprint(r, 1, 256) if p[0] >= 64], plateau(r, 64), plateau(r, 256))),
    ("sm.fetch.l1_interval", D, 0, lambda r, c: plateau(r, 96, 4) * c("sm.fetch.line_bytes") / 16 / c("sm.subcores")),
    # As many lines as are on their way at a time.
    ("sm.fetch.l2_latency", D, 0, lambda r, c: plateau(r, 512) * c("sm.fetch.line_bytes") / 16 * (1 + c("sm.fetch.l1_prefetch_lines")) - c("sm.fetch.gcc_latency") - c("sm.fetch.l1_latency")),
    ("sm.fetch.launch_prefetch_bytes", D, POW2, lambda r, c: 1024 * cold_run(r)),
    ("sm.constants.l0_bytes", M, 0, lambda r, c: constants_l0(r)),
    ("sm.constants.l1_bytes", M, 0, lambda r, c: constants_l1(r)),
    ("sm.constants.l1_latency", M, 0, lambda r, c: constants_hit_l1(r) - r("I", "LDC_hit_dependent", "1 warps")),
    ("sm.constants.memory_latency", M, 0, lambda r, c: r.inside("I", "LDC_chase", r"working set 65536 B; stride 256 B; first pass ([\d.]+)") - constants_hit_l1(r)),
    ("sm.constants.parameter_latency", M, 0, lambda r, c: r.least("J", "parameter_touch") - constants_hit_l1(r)),

    ("sm.pipe[alu].interval", M, 0, lambda r, c: r("A", "LOP3", BUSY)),
    ("sm.pipe[fmaheavy].interval", M, 0, lambda r, c: r("A", "IMAD", BUSY)),
    ("sm.pipe[fmalite].interval", D, 0, lambda r, c: 1 / (1 / r("A", "FADD", "4 warps/subcore ILP4") - 1 / r("A", "IMAD", BUSY))),
    ("sm.pipe[fp64].interval", M, 0, lambda r, c: r("A", "DADD", BUSY)),
    ("sm.pipe[xu].interval", M, 0, lambda r, c: r("A", "MUFU_EX2", BUSY)),
    ("sm.pipe[xu].queue", M, 0, lambda r, c: at_full_speed(r, "MUFU")),
    ("sm.pipe[xu].queue_latency", M, 0, lambda r, c: after(r, "MUFU", c("sm.pipe[xu].queue") + 1) - 1 - c("sm.pipe[xu].interval")),
    ("sm.pipe[uniform].interval", M, 0, lambda r, c: r("X", "UIADD3_rate", "stall 1")),
    ("sm.pipe[adu].interval", M, 0, bar_interval),
    ("sm.pipe[adu].queue", M, 0, lambda r, c: at_full_speed(r, "LDC")),
    ("sm.pipe[adu].queue_latency", M, 0, lambda r, c: after(r, "LDC", c("sm.pipe[adu].queue") + 1) - 1 - c("sm.pipe[adu].interval")),
    ("sm.pipe[lsu].interval", M, 0, lambda r, c: after(r, "LDG32", 4) / 4),

    ("sm.op[alu].latency", M, 0, lambda r, c: r("A", "LOP3", CHAIN)),
    ("sm.op[alu_predicate].latency", M, 0, lambda r, c: r("X", "min_stall", "ISETP->@P IADD3")),
    ("sm.op[fp32].latency", M, 0, lambda r, c: r("A", "FADD", CHAIN)),
    ("sm.op[imad].latency", M, 0, lambda r, c: r("A", "IMAD", CHAIN)),
    ("sm.op[imad_wide].latency", M, 0, lambda r, c: r("X", "min_stall", "IMAD.WIDE high -> IMAD")),
    ("sm.op[imad_wide].interval", M, 0, lambda r, c: r("X", "interval", "IMAD.WIDE 40 41 42; stall 1; 8 warps per sub-core")),
    ("sm.op[imad_wide].extra_stall", M, 0, lambda r, c: r("X", "interval", "IMAD.WIDE 40 41 42; stall 4; one warp") - 4),
    ("sm.op[idp].latency", M, 0, lambda r, c: r("A", "IDP4A", CHAIN)),
    ("sm.op[half].latency", M, 0, lambda r, c: r("X", "min_stall", "HFMA2 -> HFMA2.MMA")),
    ("sm.op[half].interval", M, 0, lambda r, c: r.least("X", "half_pattern", "H (H HFMA2")),
    ("sm.op[half_mma].latency", M, 0, lambda r, c: r("X", "min_stall", "HFMA2.MMA -> IADD3")),
    ("sm.op[half_mma].interval", M, 0, lambda r, c: r("X", "ports_HFMA2M_dst", "destinations (24 26 28)")),
    ("sm.op[fp64].latency", M, 0, lambda r, c: r("A", "DADD", CHAIN)),
    ("sm.op[mufu].latency", M, 0, lambda r, c: r("A", "MUFU_EX2", CHAIN)),
    ("sm.op[convert].latency", M, 0, lambda r, c: r("A", "F2I", CHAIN)),
    ("sm.op[convert64].latency", M, 0, lambda r, c: r("A", "F2F_64_32", CHAIN)),
    ("sm.op[bit_count].latency", M, 0, lambda r, c: r("A", "POPC", CHAIN)),
    ("sm.op[redux].latency", D, 0, lambda r, c: r("A", "REDUX_ADD", CHAIN) - r("X", "min_stall", "R2UR -> MOV R UR")),
    ("sm.op[shuffle].latency", M, 0, lambda r, c: r("A", "SHFL_BFLY", CHAIN)),
    ("sm.op[s2r].latency", M, 0, lambda r, c: r("X", "S2R_latency", "SR_CTAID.X; 1 warps")),
    ("sm.op[s2r_thread].latency", M, 0, lambda r, c: r("X", "S2R_latency", "SR_TID.X; 1 warps")),
    ("sm.op[s2ur].latency", M, 0, lambda r, c: r("X", "S2UR_latency", "SR_CTAID.X; 1 warps")),
    ("sm.op[cs2r].interval", M, 0, lambda r, c: r.least("A", "CS2R32_back_to_back")),
    ("sm.op[ldc].latency", M, 0, lambda r, c: r("I", "LDC_hit_dependent", "1 warps")),
    ("sm.op[uniform].latency", M, 0, lambda r, c: r("X", "min_stall", "UIADD3 -> MOV R UR")),
    ("sm.op[hmma].latency", M, 0, lambda r, c: chain(r, "HMMA.16816.F32") - cycles16816(r)),
    ("sm.op[imma].latency", M, 0, lambda r, c: chain(r, "IMMA.16832.S8") - round(r.least("A", "IMMA.16832.S8", "8 warps per SM; 4 independent accumulators"))),
    ("sm.op[dmma].latency", D, 0, lambda r, c: chain(r, "DMMA.16x8x16") - dmma(r, "16x8x16")),
    ("sm.op[movm].latency", D, DOWN, lambda r, c: r("A", "MOVM+LOP3") - r("A", "LOP3", CHAIN)),
    ("sm.op[movm].interval", M, 0, lambda r, c: r("A", "MOVM_throughput")),
    ("sm.op[gmma].latency", M, 0, lambda r, c: r("A", "HGMMA.64x8x16.F32", "commit+wait after each; A+B in shared") - 4),
    ("sm.op[barrier].interval", M, 0, bar_interval),

    # A line through two shapes: 16 bits x multiply-adds per cycle, and what does not grow with the work.
    ("sm.tensor.mma_rate", D, 0, lambda r, c: 16 * 8 * 8 * 16 / (cycles16816(r) - cycles1688(r))),
    ("sm.tensor.mma_overhead", D, 0, lambda r, c: cycles16816(r) - 16 * 8 * 16 * 16 / c("sm.tensor.mma_rate")),
    ("sm.tensor.mma_latency_factor", D, 3, lambda r, c: (chain(r, "HMMA.16816.F32") - chain(r, "HMMA.1688.F32")) / (cycles16816(r) - cycles1688(r))),
    ("sm.tensor.mma_latency", D, 0, lambda r, c: chain(r, "HMMA.16816.F32") - c("sm.tensor.mma_latency_factor") * (cycles16816(r) - c("sm.tensor.mma_overhead"))),
    ("sm.tensor.dmma_rate", D, 0, lambda r, c: (16 * 8 * 16 - 8 * 8 * 4) * 64 / (dmma(r, "16x8x16") - dmma(r, "884"))),
    ("sm.tensor.dmma_overhead", D, 0, lambda r, c: dmma(r, "884") - 8 * 8 * 4 * 64 / c("sm.tensor.dmma_rate")),
    ("sm.tensor.dmma_latency_factor", D, 3, lambda r, c: (chain(r, "DMMA.16x8x16") - chain(r, "DMMA.884")) / (dmma(r, "16x8x16") - dmma(r, "884"))),
    ("sm.tensor.dmma_latency", D, 0, lambda r, c: chain(r, "DMMA.884") - c("sm.tensor.dmma_latency_factor") * 8 * 8 * 4 * 64 / c("sm.tensor.dmma_rate")),
    ("sm.tensor.gmma_rate", M, 0, lambda r, c: 64 * 256 * 16 * 16 / c("sm.subcores") / r.least("A", "HGMMA.64x256x16.F32", "rate; one warpgroup; A+B in shared")),
    ("sm.tensor.gmma_min_interval", M, 0, lambda r, c: r("A", "HGMMA.64x8x16.F32", "rate; one warpgroup; A+B in shared")),
    ("sm.tensor.gmma_latency", M, 0, lambda r, c: r("A", "HGMMA.64x8x16.F32", "commit+wait after each; A+B in shared") - 4),

    ("sm.memory.subcore_interval", M, 0, lambda r, c: drain(r, "LDS32")),
    # Three more registers of data.
    ("sm.memory.register_read_interval", M, 0, lambda r, c: (drain(r, "STS128") - drain(r, "STS32")) / 3),
    # What has issued at full speed, less what has left by then.
    ("sm.memory.lg_queue", D, 0, lambda r, c: (n := at_full_speed(r, "LDG32")) - (n - c("sm.memory.queue_latency")) // (2 * c("sm.memory.register_read_interval"))),
    ("sm.memory.mio_queue", D, 0, lambda r, c: (n := at_full_speed(r, "LDS32")) - (n - c("sm.memory.queue_latency")) // c("sm.memory.subcore_interval")),
    ("sm.memory.shared_interval", M, 0, lambda r, c: r("B", "LDS32_throughput", "conflict degree 1; 32 warps")),
    ("sm.memory.load_read_latency", M, 0, lambda r, c: r.inside("X", "release_LDG32", r"read-barrier release (\d+)", "1 sub-cores") - RELEASE),
    ("sm.memory.store_read_latency", M, 0, lambda r, c: r.inside("X", "release_STS32", r"read-barrier release (\d+)", "1 sub-cores") - RELEASE),
    ("sm.memory.store_read_per_register", M, 0, lambda r, c: (r.inside("X", "release_STS128", r"read-barrier release (\d+)", "1 sub-cores") - r.inside("X", "release_STS32", r"read-barrier release (\d+)", "1 sub-cores")) / 3),
    ("sm.memory.writeback_bytes_per_cycle", D, POW2, lambda r, c: 3 * 128 / (r("B", "LDS128_latency", "conflict degree 1") - r("B", "LDS32_latency", "conflict degree 1"))),

    ("sm.shared.load_latency_32", M, 0, lambda r, c: r("B", "LDS32_latency", "conflict degree 1")),
    ("sm.shared.load_latency_64", M, 0, lambda r, c: r("B", "LDS64_latency", "conflict degree 1")),
    ("sm.shared.load_latency_128", M, 0, lambda r, c: r("B", "LDS128_latency", "conflict degree 1")),
    ("sm.shared.wavefront_cycles", M, 0, lambda r, c: r("B", "LDS32_throughput", "conflict degree 32; 32 warps") / 32),
    ("sm.shared.wavefront_latency", M, 0, lambda r, c: (r("B", "LDS32_latency", "conflict degree 32") - r("B", "LDS32_latency", "conflict degree 1")) / 31),
    ("sm.shared.atomic_latency", M, 0, lambda r, c: r("X", "release_ATOMS", "1 sub-cores") - RELEASE),
    ("sm.shared.atomic_wavefront_cycles", M, 0, lambda r, c: r("B", "ATOMS_ADD_noreturn", "32 lanes per address; 32 warps") / 32),
    ("sm.shared.ldmatrix_latency", D, 0, lambda r, c: r("A", "LDSM.x1_latency(+IADD)", "row stride 16 B") - r("A", "IADD3", CHAIN) - c("sm.shared.wavefront_latency")),
    ("sm.shared.shuffle_cycles", M, 0, lambda r, c: r("A", "SHFL_BFLY", BUSY) / c("sm.subcores")),

    ("sm.l1.hit_latency_32", M, 0, lambda r, c: r("C", "LDG32_L1hit_latency", "1 lines per request")),
    ("sm.l1.hit_latency_64", M, 0, lambda r, c: r("C", "LDG32_L1hit_latency", "2 lines per request")),
    ("sm.l1.hit_latency_128", M, 0, lambda r, c: r("C", "LDG128_L1hit_latency", "lane stride 16B (coalesced 512B)")),
    ("sm.l1.tags_per_cycle", M, 0, lambda r, c: 32 / r("C", "L1hit_LDG32_throughput", "32 lines distinct banks; 32 warps")),
    ("sm.l1.data_bytes_per_cycle", M, POW2, lambda r, c: 512 / r("C", "L1hit_LDG128_throughput", "coalesced; 32 warps")),
    ("sm.l1.miss_interval", M, 0, lambda r, c: 128 / r("D", "L2hit_read_LDG32", "1 SMs; 1024 threads/SM; footprint 16 MB")),
    # Less what waits in the LG queues, one a warp, and what waits for the port; two a reduction.
    ("sm.l1.posted_entries", D, POW2, lambda r, c: 2 * (r("E", "posted_capacity", "RED 1 lane one word for all; {sms} SMs; 16 warps each") - c("sm.subcores") * c("sm.memory.lg_queue") - 16 - c("sm.l1.port_packets"))),
    ("sm.l1.store_bytes_per_cycle", M, POW2, lambda r, c: r("D", "set_L2write_STG128", "1 SM")),
    ("sm.l1.fill_bytes_per_cycle", M, POW2, lambda r, c: r("D", "L2hit_read_LDG128", "1 SMs; 1024 threads/SM; footprint 16 MB; unroll 8")),

    ("sm.barrier.release_latency", M, 0, lambda r, c: r.least("F", "barrier_release_after_last_arrival")),
    ("sm.barrier.arrive_interval", M, 0, bar_interval),
    ("sm.barrier.membar_cta", M, 0, lambda r, c: r("F", "fence.acq_rel.cta", "loop with 0 stores before each; 32 threads")),
    ("sm.barrier.membar_gpu", M, 0, lambda r, c: r("F", "fence.acq_rel.gpu", "loop with 0 stores before each; 32 threads")),
    ("sm.barrier.membar_sys", M, 0, lambda r, c: r("F", "fence.acq_rel.sys", "loop with 0 stores before each; 32 threads")),
    ("sm.barrier.cluster_barrier", D, 0, lambda r, c: r("K", "cluster_barrier", "cluster 1; 32 threads") - r("F", "fence.acq_rel.cluster", "loop with 0 stores before each; 32 threads")),
    # Less the IADD of the chain, the queue and two packets of the port.
    ("sm.async_copy.dsm_latency", D, 0, lambda r, c: r("K", "DSM_load_latency", "cluster 8") - 5 - c("sm.memory.queue_latency") - 2 * 1.5),
    ("sm.async_copy.dsm_packet_cycles", M, 2, lambda r, c: r("K", "DSM_ld32", "32 lines 1 apart; 32 sectors; cluster 4; 4 blocks active; 8 warps; 1 clusters") / 64),

    ("launch.start_cycles", D, 0, lambda r, c: launch_overhead(r, c) - c("launch.end_cycles") - c("launch.block_start_latency")),
    # Of blocks of one warp; between these and blocks of eight; of sixteen.
    ("launch.block_interval", M, 2, lambda r, c: r("G", "dispatch_gap_same_SM_p50", "32 per SM x1") / c("topology.sms")),
    ("launch.sm_block_interval", M, DOWN, lambda r, c: (r("G", "dispatch_gap_same_SM_p50", "32 per SM x1") + r.inside("G", "dispatch_gap_same_SM_p50", r"p10 (\d+)", "8 per SM x1")) / 2),
    ("launch.sm_warp_interval", M, 0, lambda r, c: r.inside("G", "dispatch_gap_same_SM_p50", r"p10 (\d+)", "4 per SM x1 variable") / 16),
    ("launch.retire_interval", M, 2, retire_interval),
    ("launch.warp_start_interval", M, 2, lambda r, c: warp_starts(r)),
    ("launch.block_retire_latency", D, 0, lambda r, c: r.least("G", "block_end_to_successor_start_p50", "128 thr 200KB smem") - c("launch.block_start_latency")),

    ("noc.request_latency", D, 0, lambda r, c: (near_hit(r) - PATH - c("sm.l1.miss_latency") - c("l2.hit_latency") * l2_ratio(c)) / 2),
    ("noc.response_latency", D, 0, lambda r, c: (near_hit(r) - PATH - c("sm.l1.miss_latency") - c("l2.hit_latency") * l2_ratio(c)) / 2),
    ("noc.sm_response_bytes", M, POW2, lambda r, c: r("D", "L2hit_read_LDG128", "1 SMs; 1024 threads/SM; footprint 16 MB; unroll 8")),
    ("noc.tpc_request_bytes", M, POW2, lambda r, c: r("D", "set_L2write_STG128", "one TPC")),
    ("noc.tpc_response_bytes", M, POW2, lambda r, c: r("D", "set_L2read_LDG128", "one TPC")),
    ("noc.gpc_request_bytes", M, 0, lambda r, c: r("D", "set_L2write_STG128", "one GPC; all SMs")),
    # All GPCs together, headers of the lines included: what one reaches alone is a little more.
    ("noc.gpc_response_bytes", D, 0, lambda r, c: r.most("D", "set_L2read_LDG128", "{sms} SMs") / len(c("topology.tpcs_per_gpc")) * (128 + c("noc.packet_header_bytes")) / 128),
    # Two crossings, half a hit in the near slice.
    ("l2.far_latency", D, 0, lambda r, c: (cold(r, 75) - cold(r, 25) - c("l2.hit_latency") / 2 * l2_ratio(c)) / 2),
    ("l2.slice_bytes_per_cycle", M, POW2, lambda r, c: r.most("D", "set_L2read_LDG128", "{sms} SMs") / c("l2.slices") * l2_ratio(c)),
    ("l2.atomic_interval", M, 2, lambda r, c: 1 / r("E", "RED_ADD_U32", "all lanes one address; {sms} SMs x 1024 threads") / l2_ratio(c)),
    ("l2.atomic_latency", D, 0, lambda r, c: r("E", "ATOM_EXCH_latency", "1 lanes distinct words") - near_hit(r)),
    ("dram.efficiency", M, 2, dram_efficiency),
    ("dram.latency", D, 0, lambda r, c: cold(r, 25) - TIMED - near_hit(r) - (c("dram.t_rcd") + c("dram.t_cl")) * c("clocks.core_mhz") / c("clocks.dram_mhz")),
]
