"""The calls of heddle.Workload by subject: memory, virtual memory, L2 policy, graphs, devices, kernels from traces."""
import json
import os
import unittest

from tests.cli import harness
from tests.python.harness import PythonTest, TRACES, heddle

MIB = 1 << 20


def quiet(**more):
    """An H200 whose host and launches take no time: what is left are the kernels' own durations."""
    draft = heddle.Config("h200")
    return heddle.Config("h200", set=[f"host.{group}.{name}=0" for group in ("calls", "latency", "graph")
                                      for name in dir(getattr(draft.host, group)) if name.endswith("_ns")
                                      and isinstance(getattr(getattr(draft.host, group), name), (int, float))
                                      ] + [f"{k}={v}" for k, v in more.items()])


class Memory(PythonTest):
    def test_a_buffer_lives_from_malloc_to_free(self):
        w = heddle.Workload()
        s = w.stream_create("s")
        with w.repeat(2):
            d = w.malloc(4 * MIB, "d")
            w.memset_async(d, stream=s)
            w.stream_synchronize(s)
            w.free(d)
        again = w.malloc(d)
        self.assertIs(again, d)
        w.free(d)
        with w.expect("cudaErrorInvalidValue"):
            w.memset(d)
        r = heddle.run_host(w, check=True)
        self.assertEqual((r.unexpected, r.errors.api.tolist()), ([], ["cudaMemset"]))

    def test_memory_counts_while_it_is_allocated(self):
        def peak(size):
            w = heddle.Workload()
            with w.repeat(2):
                w.free(w.malloc(size))
            return heddle.run_host(w).counters["device 0 memory peak bytes"]

        self.assertEqual(peak(8 * MIB) - peak(4 * MIB), 4 * MIB)

    def test_a_pool_keeps_what_its_threshold_says(self):
        def reserved(threshold):
            w = heddle.Workload()
            s, p = w.stream(), w.mem_pool("p")
            if threshold:
                w.mem_pool_set_attribute(p, "release_threshold", threshold)
            d = w.malloc_async(4096, s, p)
            w.free_async(d, s)
            w.stream_synchronize(s)
            w.mem_pool_stats(p)
            return heddle.run_host(w).answers.answer.iloc[0].split()[1]

        self.assertEqual([reserved(0), reserved(1 << 30)], ["0", str(32 * MIB)])

    def test_managed_memory_moves_with_prefetches_and_accesses(self):
        w = heddle.Workload()
        m = w.managed(2 * MIB, "m")
        w.host_access(writes=[m])
        w.mem_advise(m, "set_preferred_location", 0)
        w.mem_prefetch_async(m, device=0)
        w.device_synchronize()
        r = heddle.run_host(w)
        self.assertEqual(r.errors.values.tolist(), [])
        moved = [v for k, v in r.counters.items() if "bytes" in k and "to device" in k]
        self.assertIn(2 * MIB, moved)

    def test_virtual_memory(self):
        w = heddle.Workload()
        w.mem_get_allocation_granularity()
        m, va = w.mem_create(2 * MIB), w.mem_address_reserve(4 * MIB)
        k = w.kernel("k", us=1, accesses=[w.access(va, "write", 2 * MIB)])
        w.mem_map(va, m, offset=2 * MIB)
        w.launch(k)  # mapped, but not for the device
        w.device_synchronize()
        r = heddle.run_host(w)
        self.assertEqual(r.errors.error.tolist(), ["cudaErrorIllegalAddress"])
        self.assertEqual(r.answers.answer.tolist(), [str(2 * MIB)])

        w = heddle.Workload()
        m, va = w.mem_create(2 * MIB), w.mem_address_reserve(4 * MIB)
        k = w.kernel("k", us=1, accesses=[w.access(va, "write", 2 * MIB)])
        w.mem_map(va, m, offset=2 * MIB)
        w.mem_set_access(va, offset=2 * MIB)
        w.launch(k)
        w.device_synchronize()
        with w.expect("CUDA_ERROR_INVALID_VALUE"):
            w.mem_address_free(va)  # still mapped
        w.mem_unmap(va)
        w.mem_release(m)
        w.mem_address_free(va)
        r = heddle.run_host(w, check=True)
        self.assertEqual(r.unexpected, [])
        self.assertEqual(r.errors.error.tolist(), ["CUDA_ERROR_INVALID_VALUE"])

    def test_what_persists_in_the_l2(self):
        w = heddle.Workload()
        s, d = w.stream(), w.device(4 * MIB)
        w.device_set_limit("persisting_l2_bytes", 8 * MIB)
        w.device_get_limit("persisting_l2_bytes")  # in whole ways of 60 MiB / 16
        w.stream_set_access_policy_window(s, w.access_policy_window(d, hit_ratio=0.5))
        k = w.kernel("k", us=1, reads=[d])
        w.launch(k, stream=s)
        w.launch(k, stream=s, window=w.access_policy_window(d))
        w.stream_set_access_policy_window(s)
        w.ctx_reset_persisting_l2_cache()
        with w.expect("cudaErrorInvalidValue"):
            w.launch(k, stream=s, window=w.access_policy_window(d, miss="persisting"))
        r = heddle.run_host(w, check=True)
        self.assertEqual(r.unexpected, [])
        self.assertEqual(r.answers.answer.tolist(), [str(3 * 60 * MIB // 16)])

    def test_wrong_arguments(self):
        w = heddle.Workload()
        d, s = w.device(4096), w.stream()
        self.raises(heddle.Error, "legal values: read, write, read_write, atomic", w.access, d, "load")
        self.raises(heddle.Error, "legal values: persisting_l2_bytes", w.device_set_limit, "cudaLimitStackSize", 1)
        self.raises(heddle.Error, "legal values: none, read, read_write", w.mem_set_access, d, 0, "write")
        self.raises(heddle.Error, "legal values: set_read_mostly", w.mem_advise, d, "read_mostly")
        self.raises(heddle.Error, "is no physical of this workload", w.mem_map, d, d)
        self.raises(heddle.Error, "Workload.access_policy_window() makes them", w.stream_set_access_policy_window, s, d)
        self.raises(heddle.Error, "Workload.access() makes them", w.kernel, "k", us=1, accesses=[d])
        self.raises(heddle.Error, "a name such as cudaErrorInvalidValue", w.expect("invalid").__enter__)
        w.launch(w.kernel("k", us=1), window=w.access_policy_window(d, 8192))
        self.raises(heddle.Error, "a window beyond the end of its buffer", heddle.run_host, w)


class Graphs(PythonTest):
    def graph_of(self, w, build, gpu=None, **flags):
        g = w.graph_create("g")
        build(g)
        w.graph_launch(w.graph_instantiate(g, **flags))
        w.device_synchronize()
        return heddle.run_host(w, gpu or quiet())

    def kernels(self, r):
        rows = r.spans[r.spans.track == "device 0 kernels"]
        return [(s.name, round(s.start_us, 3), round(s.end_us, 3)) for s in rows.itertuples()]

    def test_a_diamond(self):
        w = heddle.Workload()
        a, b, c = (w.kernel(n, us=t) for n, t in (("a", 10), ("b", 20), ("c", 5)))

        def build(g):
            first = w.graph_add_kernel_node(g, a)
            sides = [w.graph_add_kernel_node(g, b, [first]), w.graph_add_kernel_node(g, c, [first])]
            w.graph_add_kernel_node(g, a, sides)
        found = self.kernels(self.graph_of(w, build))
        self.assertEqual(sorted(n for n, _, _ in found), ["a", "a 2", "b", "c"])
        spans = {n: (s, e) for n, s, e in found}
        self.assertEqual(spans["b"][1] - spans["b"][0], 20)
        self.assertLess(spans["c"][0], spans["b"][1])          # beside each other
        self.assertGreaterEqual(spans["a 2"][0], spans["b"][1])  # after both

    def test_kernels_that_launch_kernels(self):
        w = heddle.Workload()
        s, b = w.stream("s"), w.device(64, "b")
        parent = w.kernel("parent", 1, 32, block_us=10, accesses=[w.access(b, "write", before_call=0)])
        child = w.kernel("child", us=50, reads=[b])
        w.device_launch(parent, child, at_end=True, barrier=True)
        w.device_launch(parent, child, "tail")
        w.launch(parent, stream=s)
        r = heddle.run_host(w, check=True)
        self.assertEqual(len(r.findings), 0)
        self.assertGreater(r.end_us, 110)
        parent = w.kernel("forgets the barrier", 1, 32, block_us=10, accesses=[w.access(b, "write", before_call=0)])
        w.device_launch(parent, child)
        w.launch(parent, stream=s)
        self.assertEqual(len(heddle.run_host(w, check=True).findings), 1)
        self.raises(TypeError, "block", w.device_launch, parent, child, block=1)

    def test_programmatic_edges(self):
        w = heddle.Workload()
        k = w.kernel("k", 1, 32, block_us=10, trigger_us=4, wait_us=1)

        def build(g):
            a = w.graph_add_kernel_node(g, k, name="a")
            w.graph_add_kernel_node(g, k, [(a, "programmatic")], "b")
            w.graph_get_edges(g)
            with w.expect("cudaErrorLossyQuery"):
                w.graph_get_edges(g, edge_data=False)
        r = self.graph_of(w, build)
        self.assertEqual(r.answers.answer.tolist(), ["0-1(1,0,1)"])
        self.assertEqual(r.errors.error.tolist(), ["cudaErrorLossyQuery"])
        (_, a, ended), (_, b, _) = self.kernels(r)
        self.assertLess(b, ended)
        self.assertGreaterEqual(b - a, 4)

    def test_capture_and_update(self):
        w = heddle.Workload()
        s = w.stream("s")
        slow, fast = w.kernel("slow", us=20), w.kernel("fast", us=5)
        w.stream_begin_capture(s)
        w.launch(slow, stream=s)
        g = w.stream_end_capture(s)
        x = w.graph_instantiate(g)
        w.graph_launch(x, s)
        w.graph_exec_node_set_params(x, w.graph_get_node(g, 0), kernel=fast)
        w.graph_launch(x, s)
        w.graph_node_set_enabled(x, w.graph_get_node(g, 0), False)
        w.graph_launch(x, s)
        w.stream_synchronize(s)
        r = heddle.run_host(w)
        self.assertEqual(r.errors.values.tolist(), [])
        self.assertEqual([n for n, _, _ in self.kernels(r)], ["slow", "fast"])

    def test_a_loop_on_the_device(self):
        w = heddle.Workload()
        h = w.conditional_handle(default=1)
        step = w.kernel("step", us=5, sets_handle=h, handle_value=[1, 1, 0])
        body = w.graph_create("body")
        w.graph_add_kernel_node(body, step)
        r = self.graph_of(w, lambda g: w.graph_add_conditional_node(g, h, "while", [body]))
        self.assertEqual([n for n, _, _ in self.kernels(r)], ["step"] * 3)

    def test_launches_from_the_device(self):
        w = heddle.Workload()
        leaf, launcher = w.kernel("leaf", us=30), w.kernel("launcher", us=10)
        child = w.graph_create("child")
        w.graph_add_kernel_node(child, leaf)
        x = w.graph_instantiate(child, device_launch=True)
        w.device_graph_launch(launcher, x, "tail")
        w.device_graph_launch(launcher, x, "tail", after_us=1)
        w.graph_upload(x)
        r = self.graph_of(w, lambda g: w.graph_add_kernel_node(g, launcher), device_launch=False)
        self.assertEqual([n for n, _, _ in self.kernels(r)][:2], ["launcher", "leaf"])
        self.assertGreaterEqual(self.kernels(r)[1][1], self.kernels(r)[0][2])  # a tail: after the launcher
        self.assertEqual(list(r.device_errors.columns), ["call", "error", "why"])

    def test_memory_nodes(self):
        w = heddle.Workload()
        s = w.stream()
        g = w.graph_create("g")
        alloc, tmp = w.graph_add_mem_alloc_node(g, 4096, name="tmp")
        k = w.kernel("k", us=5, writes=[tmp])
        w.graph_add_kernel_node(g, k, [alloc])
        x = w.graph_instantiate(g, auto_free_on_launch=True)
        with w.repeat(2):
            w.graph_launch(x, s)
        w.graph_mem_alloc_node_get_params(alloc)
        w.stream_synchronize(s)
        w.free_async(tmp, s)
        w.device_graph_mem_trim()
        w.device_graph_mem_reset_high()
        w.device_get_graph_mem_attribute()
        r = heddle.run_host(w, check=True)
        self.assertEqual((r.unexpected, len(r.findings)), ([], 0))
        self.assertIn(" bytes 4096 device 0 access 0", r.answers.answer[0])
        self.assertEqual(r.answers.answer[1], "reserved 0 high 0 used 0 high 0")

    def test_wrong_graphs(self):
        w = heddle.Workload()
        g, other, k = w.graph_create("g"), w.graph_create("other"), w.kernel("k", us=1)
        n = w.graph_add_kernel_node(g, k, name="n")
        self.raises(heddle.Error, 'is no node of graph "other"', w.graph_add_kernel_node, other, k, [n])
        self.raises(heddle.Error, 'node "n" of graph "g" is given twice', w.graph_add_kernel_node, g, k, (), "n")
        self.raises(heddle.Error, "legal values: programmatic, launch_completion", w.graph_add_kernel_node, g, k,
                    [(n, "full")])
        self.raises(heddle.Error, "one of kernel, memcpy", w.graph_node_set_params, n)
        self.raises(heddle.Error, "is no graph_exec of this workload", w.graph_launch, g)


class Machine(PythonTest):
    def test_visible_devices(self):
        w = heddle.Workload(devices=4, environment={"CUDA_VISIBLE_DEVICES": "2,1"})
        w.get_device_count()
        w.device_get_pci_bus_id(0)
        self.assertEqual(heddle.run_host(w).answers.answer.tolist(), ["2", "2"])

    def test_cudas_variables(self):
        def serial(environment):
            w = heddle.Workload(environment={"CUDA_MODULE_LOADING": "EAGER", **environment})
            w.launch("k", us=100)
            return heddle.run_host(w).spans.query("name == 'cudaLaunchKernel'").iloc[0].end_us > 100

        self.assertTrue(serial({"CUDA_LAUNCH_BLOCKING": "1"}))
        self.assertFalse(serial({"CUDA_LAUNCH_BLOCKING": "0"}))
        for bad in ("yes", "2", 2, -1):
            self.raises(heddle.Error, "legal values: 0 and 1", serial, {"CUDA_LAUNCH_BLOCKING": bad})
        self.assertTrue(serial({"launch_blocking": True}))

    def test_unexpected_errors(self):
        w = heddle.Workload()
        w.launch("k", grid=1, block=1025, block_us=1)
        with w.expect("cudaErrorInvalidValue"):
            w.compute(1)
        r = heddle.run_host(w, check=True)
        self.assertRegex(r.unexpected[0], r"^line \d: cudaLaunchKernel returned cudaErrorInvalidConfiguration")
        self.assertRegex(r.unexpected[1], r"^line \d: did not return cudaErrorInvalidValue")
        self.assertEqual(heddle.run_host(w).unexpected, [])

    def test_the_timeline_is_the_commands(self):
        w = heddle.Workload()
        s = w.stream("s")
        w.launch("k", stream=s, us=20)
        w.stream_synchronize(s)
        w.save(self.path("w.workload.textproto"))
        heddle.run_host(w).save_timeline(self.path("a.json"))
        self.ok("host", self.path("w.workload.textproto"), "--gpu", "h200", "--timeline", self.path("b.json"))
        with open(self.path("a.json")) as a, open(self.path("b.json")) as b:
            self.assertEqual(json.load(a), json.load(b))
        self.raises(heddle.Error, "No such file", heddle.run_host(w).save_timeline, self.path("none/a.json"))
        # Neither replaces a file of another kind unasked.
        for save, other in ((heddle.run_host(w).save_timeline, "w.workload.textproto"), (w.save, "a.json")):
            with open(self.path(other)) as f:
                before = f.read()
            self.raises(heddle.Error, "(force=True replaces it)", save, self.path(other))
            with open(self.path(other)) as f:
                self.assertEqual(f.read(), before)
        w.save(self.path("w.workload.textproto"))
        w.save(self.path("a.json"), force=True)

    def test_how_results_look(self):
        w = heddle.Workload("name")
        w.launch("k", us=20)
        w.launch("k2", grid=1, block=1025, block_us=1)
        r = heddle.run_host(w)
        self.assertRegex(repr(r), r"^<heddle.HostResults: [\d.]+ us, 2 calls, 1 commands, 1 errors>$")
        self.assertIn("device 0 kernels", r._repr_html_())
        self.assertEqual(repr(w), "<heddle.Workload 'name': 2 calls in the text of 1 threads>")


class Traces(PythonTest):
    def test_kernels_from_traces(self):
        self.write("capture/kernel-1.traceg", harness.trace_text())
        w = heddle.Workload()
        k = w.kernel("k", trace=self.path("capture/kernel-1.traceg"))
        with w.repeat(3):
            w.launch(k)
        w.device_synchronize()
        r = heddle.run_host(w)
        self.assertEqual((r.calls, r.blocks), (4, 12))
        durations = {round(s.end_us - s.start_us, 4) for s in r.spans.itertuples() if s.track == "device 0 kernels"}
        self.assertEqual(len(durations), 1)
        w.save(self.path("w.workload.textproto"))
        out = self.ok("host", self.path("w.workload.textproto"), "--gpu", "h200").stdout
        self.assertIn(f"total {r.end_us:.3f} us", out)

    def test_a_capture(self):
        self.write("capture/kernel-1.traceg", harness.trace_text())
        self.write("capture/kernelslist.g", "MemcpyHtoD,0x7f0000000000,1048576\nkernel-1.traceg\nkernel-1.traceg\n")
        r = heddle.run_host(self.path("capture/kernelslist.g"))
        self.assertEqual((r.calls, r.commands, r.blocks), (4, 3, 8))

    def test_together(self):
        trace = next(os.path.join(d, f) for d, _, fs in os.walk(os.path.join(TRACES, "vecadd")) for f in fs
                     if ".traceg" in f or f.endswith(".heddle"))
        w = heddle.Workload()
        a, b = w.stream("a", True), w.stream("b", True)
        k = w.kernel("k", trace=trace)
        w.launch(k, stream=a)
        w.launch(k, stream=b)
        w.device_synchronize()
        w.save(self.path("w.workload.textproto"))
        told = []
        alone = heddle.run_host(w, progress=lambda us, ended: told.append((us, ended)))
        self.assertTrue(all(t == (0, 0) for t in told))
        pair = heddle.run_host(w, together=True)
        threads = heddle.run_host(w, together=True, threads=2)
        self.assertTrue(pair.spans.equals(threads.spans))
        self.assertFalse(pair.spans.equals(alone.spans))
        out = self.ok("host", self.path("w.workload.textproto"), "--gpu", "h200", "--together").stdout
        self.assertIn(f"total {pair.end_us:.3f} us", out)

    def test_bad_traces(self):
        w = heddle.Workload()
        w.kernel("k", trace=self.path("none.traceg"))
        self.raises(heddle.Error, "none.traceg", heddle.run_host, w)
        self.raises(heddle.Error, "threads=0: out of range", heddle.run_host, w, threads=0)
        self.raises(heddle.Error, "cannot be read", heddle.run_host, self.path("nothing"))


if __name__ == "__main__":
    unittest.main()
