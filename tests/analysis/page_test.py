"""The validation pages: their figures, their sections, what tools/update-validation makes of them; the search of tools/split-check."""
import importlib.machinery
import importlib.util
import os
import sqlite3
import tempfile
import unittest

from analysis.page import comparison, sections
from analysis.page.families import FAMILIES, OTHER, family
from analysis.page.launches import (ACTIVE, CYCLES, SCORED, SEEN, Launch, halves, launches, merged_tables, pairs, spreads,
                                    stall_shares, write_table)
from analysis.page.measures import errors, kendall, pearson, percentile
from analysis.page.quantities import EXACT, QUANTITIES, Quantity
from analysis.page.results import Results

LOADS = next(q.of[0] for q in EXACT if q.label == "global load sectors")


def launch(name, measured, simulated, half=SEEN, kind="FFT", suite="a suite", row=None, counters=None, stalls=None):
    """Cycles, and SM-active cycles of half as many."""
    row = {"kernel": "void fft_r2c<512>(int)", "cycles_median": str(measured), "cycles_min": str(measured - 10), "cycles_max": str(measured + 20),
           "sm_active_cycles_max_median": str(measured / 2), **(row or {})}
    return Launch(suite, name, half, kind, row, {"cycles": simulated, "sm_active_cycles": simulated / 2, **(counters or {})}, stalls or {})


def line(lines, start):
    """The cells of the only row that begins with `start`."""
    found = [x for x in lines if x.startswith(start)]
    assert len(found) == 1, (start, found)
    return [c.strip() for c in found[0].strip("|").split("|")]


class Measures(unittest.TestCase):
    def test_percentile(self):
        self.assertAlmostEqual(percentile([30, 10, 20], 0.9), 28)  # at 1.8 of 0, 1, 2
        self.assertEqual(percentile([7], 0.9), 7)

    def test_kendall(self):
        # Of the six pairs of 1 2 3 4 and 1 3 2 4 one is in the opposite order: (5 - 1) / 6.
        self.assertAlmostEqual(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4 / 6)
        self.assertEqual(kendall([1, 2, 3], [3, 2, 1]), -1)
        # Ties: (1, 1) has no order on the left, so 2 of 3 pairs count there: 2 / sqrt(2 * 3).
        self.assertAlmostEqual(kendall([1, 1, 2], [5, 6, 7]), 2 / 6**0.5)
        self.assertIsNone(kendall([1, 1, 1], [1, 2, 3]))

    def test_pearson(self):
        # Deviations -1 0 1 and -2 1 1: 3 / sqrt(2 * 6).
        self.assertAlmostEqual(pearson([1, 2, 3], [0, 3, 3]), 3 / 12**0.5)
        self.assertIsNone(pearson([1, 2, 3], [4, 4, 4]))

    def test_relative_errors(self):
        # Errors +10 %, -20 %, +30 %; `d` and `e` have nothing on silicon.
        e = errors([("a", 100, 110), ("b", 1000, 800), ("c", 10, 13), ("d", 0, 0), ("e", 0, 5)], True, 0.1)
        self.assertEqual((e.count, e.undefined, e.worst_of, e.within), (3, 1, "c", 1))
        for found, expected in ((e.mean, 0.2), (e.bias, 0.2 / 3), (e.median, 0.2), (e.p90, 0.28), (e.worst, 0.3)):
            self.assertAlmostEqual(found, expected)
        self.assertEqual(e.kendall, 1)
        self.assertIsNone(errors([("d", 0, 0)], True, 0.1))

    def test_relative_errors_correlate_by_their_logarithms(self):
        # Powers of ten: on a line by their logarithms only.
        e = errors([("a", 1, 1), ("b", 10, 100), ("c", 100, 10000)], True, 0.1)
        self.assertAlmostEqual(e.pearson, 1)
        self.assertIsNone(errors([("a", 1, 1), ("b", 10, 100)], True, 0.1).pearson)  # two are on a line always

    def test_points(self):
        # Nothing on both sides is a launch that is right.
        e = errors([("a", 0, 0), ("b", 50, 46), ("c", 20, 32)], False, 5)
        self.assertEqual((e.count, e.undefined, e.within, e.worst, e.worst_of, e.median), (3, 0, 2, 12, "c", 4))
        self.assertAlmostEqual(e.mean, 16 / 3)
        self.assertAlmostEqual(e.bias, 8 / 3)


class Families(unittest.TestCase):
    def test_rules(self):
        for kernel, expected in {
                "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT": "GEMM with tensor copies",
                "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32_war": "GEMM with tensor copies",
                "sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize32x64x32_stage": "GEMM, other",
                "void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x128>": "GEMM, other",
                "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16": "attention",
                "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32": "convolution",
                "void at::<unnamed>::vectorized_layer_norm_kernel<c10::BFloat16>": "normalisation, softmax",
                "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<x>": "optimisers",
                "void at::_scatter_gather_elementwise_kernel<128, 8>(int)": "gathers, scatters",
                # The function's own name decides, not its arguments.
                "void native::elementwise_kernel<128, 4, softmax_backward>(fft)": "elementwise",
                "k_blackscholes(const float *, int)": "elementwise",
                "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__reduce::ReduceAgent<int>>": "reductions",
                "triton_red_fused_sum_0": "reductions",
                "triton_poi_fused_add_0": "elementwise",
                "void k_stride<32>(const float *, float *, int)": "microbenchmarks",
                "convert_fusion": "elementwise",
                "x": OTHER}.items():
            self.assertEqual(family(kernel), expected, kernel)
        self.assertEqual(len({name for name, _ in FAMILIES}), len(FAMILIES))


class Launches(unittest.TestCase):
    def test_tables_beside_one_another(self):
        with tempfile.TemporaryDirectory() as d:
            for name, text in {"suite.csv": "name,kernel,cycles_median,m\na,k_a,100,\n",
                               "counters.csv": "name,kernel,cycles_median,m,n\na,k_a,999,5,6\nb,k_b,200,7,\n",
                               "host.csv": "name,us\na,1\n"}.items():  # another kind of table
                with open(os.path.join(d, name), "w", encoding="utf-8") as f:
                    f.write(text)
            rows = merged_tables(d)
            self.assertEqual(rows, {"a": {"name": "a", "kernel": "k_a", "cycles_median": "100", "m": "5", "n": "6"},
                                    "b": {"name": "b", "kernel": "k_b", "cycles_median": "200", "m": "7"}})
            write_table(os.path.join(d, "merged.csv"), rows)
            with open(os.path.join(d, "merged.csv"), encoding="utf-8") as f:
                self.assertEqual(f.read().split(), ["name,kernel,cycles_median,m,n", "a,k_a,100,5,6", "b,k_b,200,7,"])

    def test_stall_shares(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "s.csv")
            with open(path, "w", encoding="utf-8") as f:
                f.write("name,launch,metric,measured,simulated,relative_error\na,1,stall_share.wait,60,50,-0.1\n"
                        "a,1,cycles,7,8,0.1\na,1,stall_share.barrier,10,30,2\n")
            self.assertEqual(stall_shares(path), {"a": {"wait": (60, 50), "barrier": (10, 30)}})

    def test_pairs_and_spreads(self):
        occupancy = Quantity("occupancy", ("o",), points=True)
        group = [launch("a", 100, 110, row={"o": "40", "o_min": "39", "o_max": "42"}, counters={"o": 44.0}),
                 launch("b", 300, 270, half=SCORED)]
        self.assertEqual(pairs(CYCLES, group), [("a", 100, 110), ("b", 300, 270)])
        self.assertEqual(spreads(CYCLES, group), [0.3, 0.1])
        self.assertEqual(pairs(occupancy, group), [("a", 40, 44)])
        self.assertEqual(spreads(occupancy, group), [3])
        self.assertEqual(spreads(ACTIVE, group), [])
        self.assertEqual([(h, [x.name for x in part]) for h, part in halves(group)], [(SEEN, ["a"]), (SCORED, ["b"])])

    def test_no_share_exceeds_100_percent(self):
        rate = next(q for q in QUANTITIES if q.label == "L2 hit rate")
        self.assertTrue(set(rate.of) <= set(rate.over))
        tex = "lts__t_sectors_srcunit_tex_lookup_"
        # Hits and misses are of different passes on silicon: more of both than sectors.
        values = {tex + "hit.sum": 30.0, tex + "miss.sum": 10.0, "lts__t_sectors_srcunit_tex.sum": 20.0}
        self.assertEqual(rate.value(values.get), 75)
        self.assertEqual(rate.value({**values, tex + "miss.sum": 0.0}.get), 100)
        self.assertIsNone(rate.value(dict.fromkeys(values, 0.0).get))  # a share of nothing
        self.assertIsNone(rate.value({tex + "hit.sum": 1.0}.get))
        compared = {m for q in QUANTITIES for m in q.of}
        self.assertNotIn("lts__t_sector_hit_rate.pct", compared)


class Sections(unittest.TestCase):
    def test_summary(self):
        # |errors| 0.1, 0.2, 0.3: percentile at position 1.8 of 0, 1, 2.
        self.assertEqual(sections.summary([-0.1, 0.2, 0.3]), "3 | 20.0 % | 20.0 % | 28.0 % | 30.0 % | 1 | 2")

    def test_split(self):
        group = [launch("a", 100, 110), launch("b", 100, 100), launch("c", 100, 90)]
        refit = {"config": "abc", "kinds": "FITTED", "values": {"x.y": [2.0, 4.0], "x.z": [1.0, 1.0]},
                 "errors": {k: {"odd": {"mean": 0.05}, "even": {"mean": e}} for k, e in
                            (("shipped", 0.06), ("refitted", 0.07))}}
        text = "\n".join(sections.split(group, refit))
        self.assertIn("differ by 10.0 points (more than the 3", text)
        self.assertIn("| kernels 1, 3, 5, ... | 2 | 10.0 % |", text)
        self.assertIn("chose 2 of the values of the kinds FITTED again, by the first half alone: `x.y` 2 -> 4. Config", text)
        self.assertIn("| refitted | 5.00 % | 7.00 % |", text)
        self.assertNotIn("split-check", "\n".join(sections.split(group, None)))

    def test_exact_counts(self):
        group = [launch("a", 1, 1, row={LOADS: "64"}, counters={LOADS: 64}), launch("b", 1, 1, row={LOADS: "32"}, counters={LOADS: 33})]
        self.assertEqual(line(sections.agreement(group), "| global load sectors"), ["global load sectors", "2", "1"])
        self.assertEqual(line(sections.agreement(group), "| warp instructions"), ["warp instructions", "0", "0"])
        self.assertEqual(sections.differences(group)[2:], ["| global load sectors | b | 32 | 33 |"])

    def test_ablation(self):
        row = {"ablation": "default", "instead": "", "config": "abc", "mean": "0.05", "median": "0.04", "p90": "0.1",
               "largest": "0.2", "sm_active_mean": "0.06", "difference": "0", "worse": "0", "better": "0",
               "most_changed": "", "most_changed_by": "0", "warp_instructions": "4000000", "cpu_seconds": "2",
               "rate_ratio": "1"}
        other = {**row, "ablation": "TLB", "instead": "no time", "difference": "0.012", "worse": "3",
                 "most_changed": "vecadd", "most_changed_by": "-0.1", "rate_ratio": "1.10"}
        text = sections.ablation([row, other])
        self.assertEqual(text[-1], "| TLB | no time | 5.0 % | 4.0 % | 10.0 % | 20.0 % | 6.0 % | +1.20 | 3 | 0 | "
                                   "vecadd -10.0 % | 2.0 M | 1.10 |")
        self.assertEqual(sections.ablation([]), [])

    def test_provenance(self):
        text = "\n".join(sections.provenance(
            "a.b=1  # core cycles; MEASURED, x\na.c=\"s\"  # ASSUMED, as MEASURED, y\na.d=2  # FITTED, z\n"))
        self.assertIn("Of the 3 values of the H200: 1 measured, 1 assumed, 1 fitted", text)
        self.assertIn("| `a.c=\"s\"` | assumed | as MEASURED, y |", text)
        self.assertIn("| `a.d=2` | fitted | z |", text)


def script(name):
    """A program of tools/, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), "tools/" + name)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Comparison(unittest.TestCase):
    GROUP = [launch("a", 100, 110, row={LOADS: "100"}, counters={LOADS: 150.0}), launch("b", 200, 180),
             launch("c", 400, 400, half=SCORED, kind="attention", counters={"heddle__bulk_copy_bytes.sum": 16.0}),
             launch("d", 1000, 1500, suite="more")]

    def test_glance(self):
        stalls = {"wait": (60, 50), "barrier": (10, 30), "sleeping": (0, 0)}
        lines = comparison.glance([launch("a", 100, 110, stalls=stalls), launch("b", 200, 240), launch("c", 400, 400, half=SCORED)])
        self.assertEqual(line(lines, "| mean error"), ["mean error", "a suite, seen", "a suite, only scored"])
        self.assertEqual(line(lines, "| launches"), ["launches", "2", "1"])
        self.assertEqual(line(lines, "| cycles"), ["cycles", "15.0 %", "0.0 %"])
        self.assertEqual(line(lines, "| stalls: barrier"), ["stalls: barrier", "20.0", ""])
        self.assertEqual(line(lines, "| largest"), ["largest stall reason is right", "100 %", ""])
        self.assertEqual(line(lines, "| DRAM bytes |"), ["DRAM bytes", "", ""])
        self.assertFalse([x for x in lines if "sleeping" in x])

    def test_overview(self):
        lines = comparison.overview(self.GROUP)
        start = [i for i, x in enumerate(lines) if x.startswith("| error of")]
        cycles, active = lines[start[0]:start[1]], lines[start[1]:]
        # Errors 10 % and 10 %; spread 30 of 100 and of 200.
        self.assertEqual(line(cycles, "| a suite | seen "), ["a suite", "seen", "2", "10.0 %", "+0.0 %", "10.0 %", "10.0 %", "10.0 % (a)",
                                                             "–", "–", "100 %", "22.5 %", "30.0 %"])
        self.assertEqual(line(cycles, "| a suite | only")[2:4], ["1", "0.0 %"])
        self.assertEqual(line(cycles, "| more | seen")[2:6], ["1", "50.0 %", "+50.0 %", "50.0 %"])
        self.assertEqual(line(cycles, "| all | seen")[2:4], ["3", "23.3 %"])
        every = line(cycles, "| all |  |")
        self.assertEqual((every[2], every[3], every[7], every[10]), ("4", "17.5 %", "50.0 % (d)", "75 %"))
        self.assertEqual(line(cycles, "| all with bulk or tensor copies")[1:3], ["only scored", "1"])
        self.assertEqual(len(line(active, "| all |  |")), len(every) - 2)  # its repeats were not kept

    def test_families(self):
        lines = comparison.families(self.GROUP)
        self.assertEqual(line(lines, "| attention ")[:4], ["attention", "only scored", "1", "0.0 %"])
        heads = [x.split("|")[1].strip() for x in lines if " silicon's own spread" in x]
        self.assertEqual(heads, ["a suite", "more"])

    def test_counters(self):
        lines = comparison.counters(self.GROUP)
        self.assertEqual(line(lines, "| L1 sectors, global loads")[:7],
                         ["L1 sectors, global loads", "a suite", "seen", "1", "50.0 %", "+50.0 %", "50.0 %"])
        self.assertIn("Not measured of a suite: all but L1 sectors, global loads.", lines)

    def test_stalls(self):
        group = [launch("a", 1, 1, stalls={"wait": (60, 50), "barrier": (10, 30), "sleeping": (0, 0)}),
                 launch("b", 1, 1, stalls={"wait": (20, 40), "barrier": (30, 10)}, half=SCORED, kind="attention"), launch("c", 1, 1)]
        lines = comparison.stalls(group)
        self.assertEqual(line(lines, "| all |  |"), ["all", "", "1 of 2", "50 %"])
        self.assertEqual(line(lines, "| all | only"), ["all", "only scored", "0 of 1", "0 %"])
        self.assertEqual(line(lines, "| wait | a suite | seen")[3:8], ["1", "60.0", "50.0", "10.0", "-10.0"])
        self.assertEqual(line(lines, "| barrier | wait "), ["barrier", "wait", "1", "b"])
        self.assertFalse([x for x in lines if "sleeping" in x])
        page = comparison.counters_page(group).split("\n")
        self.assertEqual(line(page, "| wait | attention")[2:8], ["only scored", "1", "20.0", "40.0", "20.0", "+20.0"])

    def test_every_launch(self):
        group = [launch("a", 1000, 1080, stalls={"wait": (60, 40), "barrier": (10, 55)}), launch("b", 1000, 900, half=SCORED)]
        lines = comparison.kernels_page({"a suite": group, "more": [launch("d", 5, 5)]}, {"a suite": ["z"], "more": []}).split("\n")
        self.assertEqual(line(lines, "| `a`"), ["`a`", "`fft_r2c`", "FFT", "seen", "1,000", "990..1,020", "1,080", "+8.0 %", "500", "540", "+8.0 %",
                                                "wait 60 %", "barrier 55 %"])
        self.assertEqual(line(lines, "| `b`")[3], SCORED)
        self.assertEqual([x for x in lines if "not simulated" in x], ["Measured, but not simulated: z."])


class UpdateValidation(unittest.TestCase):
    def stored(self):
        """Results of `a` and `b`."""
        with tempfile.TemporaryDirectory() as d:
            c = sqlite3.connect(os.path.join(d, "r.db"))
            c.executescript("""
                CREATE TABLE runs (id, revision, config_hash, product);
                CREATE TABLE launches (id, run_id, trace, cycles, sm_active_cycles, warp_instructions);
                CREATE TABLE host_timing (launch_id, wall_seconds, max_rss_bytes);
                CREATE TABLE counters (launch_id, name, value);
                INSERT INTO runs VALUES (1, 'abc', 'def', 'H200');
                INSERT INTO launches VALUES (1, 1, 'a', 1080, 500, 2000000), (2, 1, 'b', 700, 450, 4000000);
                INSERT INTO host_timing VALUES (1, 1.0, 1048576), (2, 1.0, 2097152);
            """)
            c.executemany("INSERT INTO counters VALUES (?, ?, ?)", [(1, LOADS, 64), (2, LOADS, 33)])
            c.commit()
            c.close()
            return Results(os.path.join(d, "r.db"))

    def test_launches(self):
        row = {"kernel": "k_fft(float2 *)", "cycles_median": "1000", "sm_active_cycles_max_median": "500", LOADS: "32"}
        measured = {"a": {**row, "half": "scored"}, "b": row, "z": row}  # z was not simulated
        a, b = launches("a suite", measured, self.stored(), {"b": {"wait": (1.0, 2.0)}})
        self.assertEqual((a.half, b.half, a.family, a.stalls, b.stalls), (SCORED, SEEN, "FFT", {}, {"wait": (1.0, 2.0)}))
        self.assertAlmostEqual(a.error(), 0.08)
        self.assertAlmostEqual(b.error(ACTIVE), -0.1)
        self.assertEqual(pairs(Quantity("loads", (LOADS,)), [a, b]), [("a", 32, 64), ("b", 32, 33)])

    def test_front_page(self):
        tool = script("update-validation")
        first = [launch("a", 1000, 1080, row={LOADS: "64"}, counters={LOADS: 64})]
        groups = {"x": first, "y": [launch("b", 1000, 1080), launch("c", 1000, 700)],
                  "z": [launch("d", 1000, 1010), launch("e", 1000, 950, half=SCORED)]}
        block = tool.front_block(groups, {"a": {"cycles": "1500", "wall_seconds": "100"}}, self.stored())
        self.assertIn("| error of the cycles | kernels | mean | median | 90th percentile | largest | within 10 % | within 20 % |\n", block)
        lines = block.split("\n")
        self.assertEqual(line(lines, "| Heddle, the suite of 57"), ["Heddle, the suite of 57", "1", *["8.0 %"] * 4, "1", "1"])
        self.assertEqual(line(lines, "| Accel-Sim")[1:3], ["1", "50.0 %"])
        self.assertEqual(line(lines, "| Heddle, [second suite](traces/h200/second/README.md)")[1:],
                         ["2", "19.0 %", "19.0 %", "27.8 %", "30.0 %", "1", "1"])
        self.assertEqual(line(lines, "| Heddle, [library kernels](traces/h200/library/README.md), seen")[1:3], ["1", "1.0 %"])
        self.assertEqual(line(lines, "| Heddle, [library kernels](traces/h200/library/README.md), only scored")[1:3], ["1", "5.0 %"])
        self.assertEqual(line(lines, "| global load sectors"), ["global load sectors", "1", "1"])  # of the first suite
        self.assertIn("Peak memory: 2 MiB", block)
        front = "x\n<!-- validation: begin. tools/update-validation writes this -->\nold\n<!-- validation: end -->\ny"
        self.assertIn(f"-->\n{block}\n<!-- validation: end -->\ny", tool.replaced(front, "validation", block))


class SplitCheck(unittest.TestCase):
    def setUp(self):
        self.tool = script("split-check")

    def test_candidates(self):
        self.assertEqual(self.tool.candidates(0), [1])
        self.assertEqual(self.tool.candidates(2), [1, 3])
        self.assertEqual(self.tool.candidates(80), [40, 160])
        self.assertEqual(self.tool.candidates(0.5), [0.25, 1])

    def test_values(self):
        match = self.tool.VALUE.match("l2.ways=16      # ASSUMED, first guess")
        self.assertEqual(match.groups(), ("l2.ways", "16", "ASSUMED"))
        match = self.tool.VALUE.match("a.b=1.5  # core cycles per warp; FITTED, the suite")
        self.assertEqual(match.groups(), ("a.b", "1.5", "FITTED"))

    def test_search(self):
        # The error is |x - 20| + |y - 3|; 5 is no legal x.
        def errors(chosen, half, jobs):
            x, y = chosen.get("x", 10), chosen.get("y", 3)
            return None if x == 5 else {k: abs(x - 20) + abs(y - 3) for k in half}
        self.tool.errors = errors
        self.assertEqual(self.tool.search({"x": 10, "y": 3}, ["k"], 2, 1), {"x": 20})


if __name__ == "__main__":
    unittest.main()
