"""Workloads that compute: kernels of a module on the workload's buffers, in simulated time."""
import unittest

import numpy

from tests.python.harness import PythonTest, heddle

# incr(int* x, u32 n): x[i] += 1 for i < n. polls(int* x): until x[0] is not 0, then x[1] = 7.
CODE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry incr(.param .u64 x, .param .u32 n) {
  .reg .u64 %a, %o;
  .reg .u32 %i, %b, %d, %n, %v;
  .reg .pred %p;
  ld.param.u64 %a, [x];
  ld.param.u32 %n, [n];
  mov.u32 %i, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %d, %ntid.x;
  mad.lo.u32 %i, %b, %d, %i;
  setp.ge.u32 %p, %i, %n;
  @%p bra END;
  mul.wide.u32 %o, %i, 4;
  add.u64 %a, %a, %o;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, 1;
  st.global.u32 [%a], %v;
END:
  ret;
}
.visible .entry polls(.param .u64 x) {
  .reg .u64 %a;
  .reg .u32 %v;
  .reg .pred %p;
  ld.param.u64 %a, [x];
LOOK:
  ld.volatile.global.u32 %v, [%a];
  setp.eq.u32 %p, %v, 0;
  @%p bra LOOK;
  st.global.u32 [%a+4], 7;
  ret;
}
"""


class Values(PythonTest):
    def setUp(self):
        super().setUp()
        self.module = self.write("code.ptx", CODE)
        self.w = heddle.Workload()
        self.d = self.w.device(64, name="d")
        self.out = self.w.buffer(None, "pinned", "out", data="zeros:i32:16")

    def incr(self, name="", **more):
        return self.w.kernel(name, 1, 16, module=self.module, kernel="incr", args=[self.d, 16], **more)

    def results(self, **more):
        return heddle.run_host(self.w, gpu="h200", **more).buffers["out"]

    def both(self, *first):
        """What `out` begins with, by themselves and on one machine."""
        for together in (False, True):
            numpy.testing.assert_array_equal(self.results(together=together)[:len(first)], first)

    def test_a_refused_kernel_leaves_nothing(self):
        w, ends = heddle.Workload(), []
        d = w.device(64, name="d")

        @w.thread
        def main_thread():
            try:
                yield w.launch(w.kernel("k", 1, 32, module=self.module, kernel="incr", args=[d, 16]))
            except heddle.Error as e:
                ends.append(str(e))
            yield w.launch(w.kernel("own", 1, 32, module=self.module, kernel="incr", args=["zeros:i32:16", 16]))
            yield w.device_synchronize()
            ends.append((yield w.now()))

        heddle.run_host(w, gpu="h200")
        self.assertIn("one on buffers is made before the program runs", ends[0])
        self.assertGreater(ends[1], 0)

    def test_who_waits_for_the_host_is_no_live_lock(self):
        w, one = self.w, self.w.buffer(None, "pinned", "one", data="ones:i32:16")
        polls, s, t = w.kernel("polls", 1, 1, module=self.module, args=[self.d]), w.stream(non_blocking=True), w.stream(non_blocking=True)
        w.launch(polls, stream=s)
        w.compute(500)
        w.memcpy_async(self.d, one, 4, t)
        w.memcpy_async(self.out, self.d, stream=s)
        w.device_synchronize()
        numpy.testing.assert_array_equal(self.results(together=True)[:2], [1, 7])

    def test_memory_that_is_freed_and_what_there_is_not_room_for(self):
        w, k, refused = self.w, self.incr(), []

        @w.thread
        def main_thread():
            for _ in range(40):
                b = yield w.malloc(64 << 20)
                yield w.memset(b)
                yield w.memcpy(b, self.out, 64)
                yield w.launch(k)
                yield w.free(b)
            try:
                yield w.malloc(32 << 40)
            except heddle.CallError as e:
                refused.append(str(e))
            yield w.malloc(100 << 30)  # never touched
            yield w.memcpy(self.out, self.d)

        numpy.testing.assert_array_equal(self.results(together=True), [40] * 16)
        self.assertIn("cudaErrorMemoryAllocation", refused[0])

    def test_more_of_a_graph_or_kernel_than_was_said(self):
        w, k = self.w, self.incr("k")
        there = w.graph_create("there")
        w.graph_add_kernel_node(there, k)

        @w.thread
        def main_thread():
            graph = w.graph_create()
            node = w.graph_add_kernel_node(graph, k)
            w.graph_add_kernel_node(graph, k, node)
            yield w.now()
            for what in (lambda: w.graph_add_kernel_node(graph, k, node), lambda: w.graph_add_kernel_node(there, k),
                         lambda: w.device_launch(k, k), lambda: w.device_graph_launch(k)):
                self.raises(heddle.Error, "more is said of it before the program runs", what)
            for g in (graph, there):
                yield w.graph_launch((yield w.graph_instantiate(g)))
            yield w.device_synchronize()
            yield w.memcpy(self.out, self.d)

        self.both(3, 3)
        self.both(3, 3)

    def test_what_moves_no_values(self):
        w, k = self.w, self.incr("k")
        w.launch(k)
        w.memcpy_2d_async(self.out, 8, self.d, 16, 8, 2)
        self.raises(heddle.Error, "a copy of rows moves no data", self.results)
        for together in (False, True):
            w = self.w = heddle.Workload()
            self.d, self.out = w.device(64, name="d"), w.buffer(None, "pinned", "out", data="zeros:i32:16")
            parent = w.kernel("parent", 1, 32, block_us=5)
            w.device_launch(parent, self.incr("child"))
            w.launch(parent)
            w.memcpy(self.out, self.d)
            if together:
                self.assertEqual(self.results(together=True)[0], 1)
            else:
                self.raises(heddle.Error, "compute --together alone", self.results)

    def test_a_window_on_a_buffer(self):
        w = self.w
        w.device_set_limit("persisting_l2_bytes", 20 << 20)
        w.launch(self.incr(), window=w.access_policy_window(self.d, hit_ratio=0.6))
        w.memcpy(self.out, self.d)
        self.both(1, 1)


if __name__ == "__main__":
    unittest.main()
