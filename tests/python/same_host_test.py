"""What a CUDA program and Python's builder both can say takes the same time: programs drawn at random, run as a program of nvcc's by
`heddle exec` (tests/runtime/programs/script.cu) and as a heddle.Workload."""
import lzma
import os
import subprocess
import unittest

from tests.python.harness import PythonTest, heddle
from tests.python.same_host import Program

# Of script.cu: tests/runtime/programs/build.sh makes the program, nvcc -arch=sm_90 -O2 -fatbin its kernels.
PROGRAM, KERNELS = "tests/runtime/data/script.xz", "tests/python/data/script.fatbin.xz"
FIRST = int(os.environ.get("HEDDLE_FIRST_SEED", 1))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HEDDLE_SEEDS", 60)))
LOOK_NS = 25
HEDDLE = os.environ.get("HEDDLE") or os.path.join("tools", "heddle")


def unpack(file, folder):
    path = os.path.join(folder, os.path.basename(file)[:-3])
    with lzma.open(file) as packed, open(path, "wb") as f:
        f.write(packed.read())
    os.chmod(path, 0o755)
    return path


class Builder:
    """The same calls of a Workload."""

    def __init__(self, lines, module):
        self.w, self.module, self.marks, self.elapsed = heddle.Workload(), module, [], []
        self.streams, self.events, self.buffers, self.graphs, self.kernels = {"-1": None}, {}, {}, {}, {}
        calls = [line.split() for line in lines]

        @self.w.thread
        def program():
            for what, *a in calls:
                yield from getattr(self, "do_" + what)(*a)

    def results(self):
        heddle.run_host(self.w, gpu="h200", together=True)
        return self.marks, self.elapsed

    def kernel(self, name, grid, block, *args):
        key = (name, grid, block, args)
        if key not in self.kernels:
            self.kernels[key] = self.w.kernel(f"{name}{len(self.kernels)}", int(grid), int(block), module=self.module, kernel=name, args=args)
        return self.kernels[key]

    def do_mark(self):
        self.marks.append((yield self.w.now()))

    def do_stream(self, n, non_blocking):
        self.streams[n] = yield self.w.stream_create(non_blocking=non_blocking == "1")

    def do_stream_destroy(self, n):
        yield self.w.stream_destroy(self.streams[n])

    def do_priority(self, n, priority):
        self.streams[n] = yield self.w.stream_create_with_priority(int(priority), non_blocking=True)

    def do_managed(self, n, size):
        self.buffers[n] = yield self.w.malloc_managed(int(size))

    def do_prefetch(self, n, size, device, s):
        yield self.w.mem_prefetch_async(self.buffers[n], None if device == "-1" else 0, self.streams[s], bytes=int(size))

    def do_register(self, n, _):
        yield self.w.host_register(self.buffers[n])

    def do_unregister(self, n):
        yield self.w.host_unregister(self.buffers[n])

    def do_info(self):
        yield self.w.mem_get_info()

    def do_copy_2d(self, to, source, width, height, s):
        w, h = int(width), int(height)
        yield self.w.memcpy_2d_async(self.buffers[to], 4 * w, self.buffers[source], w, w, h, self.streams[s])

    def do_last_error(self):
        yield self.w.get_last_error()

    def do_event(self, n, timing):
        self.events[n] = yield self.w.event_create(timing=timing == "1")

    def do_event_destroy(self, n):
        yield self.w.event_destroy(self.events[n])

    def do_malloc(self, n, size):
        self.buffers[n] = yield self.w.malloc(int(size))

    def do_malloc_host(self, n, size):
        self.buffers[n] = yield self.w.malloc_host(int(size))

    def do_malloc_async(self, n, size, s):
        self.buffers[n] = yield self.w.malloc_async(int(size), self.streams[s])

    def do_pageable(self, n, size):
        self.buffers[n] = self.w.pageable(int(size))
        yield from ()

    def do_free(self, n):
        yield self.w.free(self.buffers[n])

    do_free_host = do_free

    def do_free_async(self, n, s):
        yield self.w.free_async(self.buffers[n], self.streams[s])

    def do_memcpy(self, to, source, size):
        yield self.w.memcpy(self.buffers[to], self.buffers[source], int(size))

    def do_memcpy_async(self, to, source, size, s):
        yield self.w.memcpy_async(self.buffers[to], self.buffers[source], int(size), self.streams[s])

    def do_memset(self, to, size):
        yield self.w.memset(self.buffers[to], int(size))

    def do_memset_async(self, to, size, s):
        yield self.w.memset_async(self.buffers[to], int(size), self.streams[s])

    def do_spin(self, grid, block, steps, s):
        yield self.w.launch(self.kernel("_Z4spiniPf", grid, block, int(steps), 0), stream=self.streams[s])

    def do_pass(self, grid, block, _, n, s):
        yield self.w.launch(self.kernel("_Z4passPfi", grid, block, f"zeros:f32:{n}", int(n)), stream=self.streams[s])

    def do_record(self, e, s):
        yield self.w.event_record(self.events[e], self.streams[s])

    def do_wait(self, s, e):
        yield self.w.stream_wait_event(self.streams[s], self.events[e])

    def do_event_sync(self, e):
        yield self.w.event_synchronize(self.events[e])

    def do_event_query(self, e):
        yield self.w.event_query(self.events[e])

    def do_elapsed(self, a, b):
        self.elapsed.append((yield self.w.event_elapsed_time(self.events[a], self.events[b])))

    def do_stream_sync(self, s):
        yield self.w.stream_synchronize(self.streams[s])

    def do_stream_query(self, s):
        yield self.w.stream_query(self.streams[s])

    def do_device_sync(self):
        yield self.w.device_synchronize()

    def do_host_func(self, s):
        yield self.w.launch_host_func(0, self.streams[s])

    def do_capture(self, s):
        yield self.w.stream_begin_capture(self.streams[s])

    def do_instantiate(self, n, s):
        graph = yield self.w.stream_end_capture(self.streams[s])
        self.graphs[n] = yield self.w.graph_instantiate(graph)

    def do_graph(self, n, s):
        yield self.w.graph_launch(self.graphs[n], self.streams[s])

    def do_sleep(self, us):
        yield self.w.sleep(us=int(us))


class SameHostTest(PythonTest):
    def setUp(self):
        super().setUp()
        self.program, self.module = unpack(PROGRAM, self.path()), unpack(KERNELS, self.path())

    def exec(self, lines):
        path = self.write("calls", "\n".join(lines) + "\n")
        got = subprocess.run([HEDDLE, "exec", self.program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(got.returncode, 0, got.stderr.decode()[-2000:])
        rows = [line.split() for line in got.stdout.decode().splitlines()]
        return ([int(r[1]) for r in rows if r[0] == "mark"], [float(r[1]) for r in rows if r[0] == "elapsed"])

    def test_drawn(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                lines = Program(seed).lines
                marks, elapsed = self.exec(lines)
                mine, my_elapsed = Builder(lines, self.module).results()
                self.assertEqual(len(marks), len(mine))
                # A look at the clock takes an executed program 25 ns.
                theirs, own = marks[-1] - marks[0] - LOOK_NS * (len(marks) - 1), mine[-1] - mine[0]
                self.assertAlmostEqual(own / theirs, 1, delta=0.01, msg=self.apart(lines, marks, mine))
                for a, b in zip(elapsed[1:], my_elapsed[1:]):  # the first is of the warming up
                    self.assertAlmostEqual(a, b, delta=max(0.02 * a, 0.5))

    @staticmethod
    def apart(lines, marks, mine):
        """The calls between two looks at the clock where the two differ most."""
        at = [i for i, line in enumerate(lines) if line == "mark"]
        k = max(range(1, len(at)), key=lambda k: abs(marks[k] - marks[k - 1] - LOOK_NS - mine[k] + mine[k - 1]))
        return f"{lines[at[k - 1] + 1:at[k]]}: exec {marks[k] - marks[k - 1] - LOOK_NS} ns, Python {mine[k] - mine[k - 1]}"


if __name__ == "__main__":
    unittest.main()
