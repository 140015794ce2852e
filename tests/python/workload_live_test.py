"""Threads that decide what they call: generator functions against the simulated clock."""
import random
import traceback
import unittest

from tests.python.harness import PythonTest, heddle


def run(w, **more):
    return heddle.run_host(w, gpu="h200", **more)


class Live(PythonTest):
    def test_the_clock(self):
        w, seen = heddle.Workload(), []

        @w.thread
        def main_loop():
            seen.append((yield w.now()))
            yield w.sleep(us=5)
            yield w.sleep(ns=500)
            seen.append((yield w.now()))
            yield w.sleep_until(us=20)
            yield w.sleep_until(us=10)  # has passed
            yield w.compute(2)
            seen.append((yield w.now()))

        r = run(w)
        self.assertEqual(seen, [0, 5500, 22000])
        self.assertAlmostEqual(r.end_us, 22)
        track = r.tracks.set_index("track").loc["thread main_loop"]
        self.assertAlmostEqual(track.busy_us, 2)
        self.assertAlmostEqual(track.waiting_us, 20)

    def test_queries_decide(self):
        w, polls = heddle.Workload(), []
        s, e = w.stream(), w.event()
        k = w.kernel("k", us=100)

        @w.thread
        def poller():
            yield s.launch(k)
            yield s.record(e)
            while not (yield e.query()):
                polls.append((yield w.now()))
                yield w.sleep(us=10)
            self.assertTrue((yield s.query()))

        r = run(w)
        self.assertIn(len(polls), (10, 11))
        self.assertEqual(len(r.answers), 0)  # the program has them itself

    def test_what_a_thread_makes(self):
        """Streams, memory, pools, graphs: by calls, as a program makes them; gone when the run is."""
        w, seen = heddle.Workload(), []

        @w.thread
        def maker():
            s = yield w.stream_create(non_blocking=True)
            a, h, own = (yield w.malloc(1 << 20)), (yield w.malloc_host(1 << 20)), w.pageable(4096)
            yield w.memcpy_async(a, h, stream=s)
            yield w.memcpy(a, own)
            p = yield w.malloc_async(4096, s, pool=w.mem_pool())
            yield w.free_async(p, s)
            yield w.stream_begin_capture(s)
            yield w.memset_async(a, stream=s)
            yield s.launch("k", us=20)
            captured = yield w.stream_end_capture(s)
            nodes = w.graph_create()
            w.graph_add_memset_node(nodes, a, after=w.graph_add_kernel_node(nodes, w.kernel("n", us=30)))
            for graph in (captured, nodes):
                x = yield w.graph_instantiate(graph)
                yield w.stream_synchronize(s)
                before = yield w.now()
                yield w.graph_launch(x, s)
                yield w.stream_synchronize(s)
                seen.append((yield w.now()) - before)
            try:
                yield w.malloc(1 << 20, device=3)
            except heddle.Error as e:
                seen.append(str(e))
            for kind, make in (("stream", w.stream), ("buffer", lambda: w.device(64)), ("flag", w.flag), ("queue", w.queue)):
                self.raises(heddle.Error, f"{kind}: made before the program runs", make)

        run(w)
        self.assertEqual(len(seen), 3)
        self.assertGreater(seen[0], 20000)
        self.assertGreater(seen[1], 30000)
        self.assertIn("device 3: there are 1", seen[2])
        run(w)
        self.assertEqual(seen[:3], seen[3:])

    def test_a_flag_for_several_rounds(self):
        """A doorbell: a kernel waits for it, answers by another one; both are cleared for the next round."""
        w, rounds = heddle.Workload(), []
        bell, answer, s = w.flag(), w.flag(), w.stream(non_blocking=True)
        k = w.kernel("serve", 1, 32, until_flag=bell, sets_flag=answer)

        @w.thread
        def client():
            for us in (50, 70, 90):
                yield s.launch(k)
                yield w.sleep(us=us)
                begin = yield w.now()
                yield w.set_flag(bell)
                yield w.wait_flag(answer)
                rounds.append((yield w.now()) - begin)
                yield s.synchronize()
                yield w.clear_flag(bell)
                yield w.clear_flag(answer)

        spans = run(w).spans
        served = spans[(spans.name == "serve") & (spans.track == "device 0 kernels")]
        self.assertEqual(len(served), 3)
        for us, length in zip((50, 70, 90), served.end_us - served.start_us):
            self.assertGreater(length, us - 10)  # each waits until the bell rings again
        self.assertLess(max(rounds), 10000)

    def test_elapsed_and_new_events(self):
        w, times = heddle.Workload(), []
        s = w.stream()

        @w.thread
        def measure():
            for us in (5, 10, 20):  # the first one loads the module, too
                a, b = (yield w.event_create()), (yield w.event_create())
                yield a.record(s)
                yield s.launch("k%d" % us, us=us)
                yield b.record(s)
                yield b.synchronize()
                times.append((yield a.elapsed_time(b)))
                yield w.event_destroy(a)

        run(w)
        self.assertEqual(len(times), 3)
        self.assertAlmostEqual(times[2] - times[1], 10, delta=0.5)
        run(w)  # again: what the run has made is gone
        self.assertEqual(times[:3], times[3:])

    def batches(self, puts, **get):
        w, out = heddle.Workload(), []
        q = w.queue()

        @w.thread
        def source():
            for at, item in puts:
                yield w.sleep_until(us=at)
                yield q.put(item)

        @w.thread
        def sink():
            while True:
                got = yield q.get(**get)
                out.append(((yield w.now()) / 1000, got))
                if not got:
                    return

        r = run(w)
        self.assertEqual(r.deadlock, [])  # who waits for a queue at the end has ended
        return out

    def test_batches(self):
        puts = [(10, "a"), (12, "b"), (30, "c"), (100, "d")]
        self.assertEqual(self.batches(puts), [(10, "a"), (12, "b"), (30, "c"), (100, "d")])
        self.assertEqual(self.batches(puts, max=8), [(10, ["a"]), (12, ["b"]), (30, ["c"]), (100, ["d"])])
        self.assertEqual(self.batches(puts, max=8, timeout_us=25), [(35, ["a", "b", "c"]), (125, ["d"])])
        self.assertEqual(self.batches(puts, max=2, timeout_us=50), [(12, ["a", "b"]), (80, ["c"]), (150, ["d"])])
        self.assertEqual(self.batches(puts, max=8, give_up_us=40)[-1], (70, []))
        self.assertEqual(self.batches(puts, give_up_us=0), [(0, None)])

    def test_a_queue_with_room_and_an_end(self):
        w, got = heddle.Workload(), []
        q = w.queue(capacity=1)

        @w.thread
        def source():
            for i in range(3):
                yield q.put(i)
            got.append(("put", (yield w.now())))
            yield q.close()
            with self.assertRaisesRegex(heddle.Error, "closed"):
                yield q.put(9)

        def sink(name):
            while (item := (yield q.get())) is not None:
                got.append((name, item))
                yield w.sleep(us=10)

        w.thread(sink, "x", thread_name="x")
        w.thread(sink, "y", thread_name="y")
        run(w)
        self.assertEqual([g for g in got if g[0] != "put"], [("x", 0), ("y", 1), ("x", 2)])

    def test_grids_of_launches(self):
        w = heddle.Workload()
        k = w.kernel("k", block_us=10)
        s = w.stream()
        w.launch(k, 132, 256, s)
        w.launch(k, grid=132 * 9, block=256, stream=s)  # eight on an SM: two waves
        w.launch(k, grid=(4, 2), block=(32, 4), stream=s, us=7)
        r = run(w)
        self.assertEqual(r.blocks, 132 * 10 + 8)
        spans = r.spans[r.spans.track == "device 0 kernels"]
        self.assertEqual(list(spans.name), ["k"] * 3)
        self.raises(heddle.Error, "needs a grid", run, self.launches(lambda w: w.launch(w.kernel("k", block_us=1))))
        self.raises(heddle.Error, "a grid needs a `block`", run,
                    self.launches(lambda w: w.launch(w.kernel("k", block_us=1), grid=3)))
        self.raises(heddle.Error, "one of us and block_us", self.launches,
                    lambda w: w.launch(w.kernel("k", us=1), us=1, block_us=2))

    @staticmethod
    def launches(f):
        w = heddle.Workload()
        f(w)
        return w

    def test_errors_are_raised_where_the_call_was(self):
        w = heddle.Workload()
        a, b = w.device(100), w.device(200)

        @w.thread
        def wrong():
            yield w.now()
            yield w.memcpy(a, b, 150)  # HERE

        try:
            run(w)
        except heddle.CallError as e:
            self.assertEqual(e.error, "cudaErrorInvalidValue")
            lines = [f.line for f in traceback.extract_tb(e.__traceback__)]
            self.assertTrue(any("# HERE" in line for line in lines), lines)
        else:
            self.fail("no error")

    def test_errors_can_be_caught(self):
        w, seen = heddle.Workload(), []
        big = w.malloc

        @w.thread
        def tries():
            try:
                yield w.memset(buffer, 1 << 20)
            except heddle.CallError as e:
                seen.append(e.error)
            yield w.memset(buffer, 10)
            seen.append("went on")

        buffer = w.device(1000)
        self.assertTrue(callable(big))
        run(w)
        self.assertEqual(seen, ["cudaErrorInvalidValue", "went on"])

    def test_what_is_no_program(self):
        def error(f):
            w = heddle.Workload()
            s = w.stream()
            w.thread(f, w, s, thread_name="t")
            return str(self.raises(heddle.Error, "", run, w))

        def forgets(w, s):
            s.synchronize()
            yield w.now()

        def forgets_the_last(w, s):
            yield w.now()
            s.synchronize()

        def other(w, s):
            yield 5

        def makes(w, s):
            yield w.now()
            w.stream("late")

        def loops(w, s):
            yield w.now()
            with w.repeat(3):
                pass

        self.assertIn("made and not yielded", error(forgets))
        self.assertIn("made and not yielded", error(forgets_the_last))
        self.assertIn("no call of the workload", error(other))
        self.assertIn("before the program runs", error(makes))
        self.assertIn("repeat", error(loops))
        w = heddle.Workload()
        self.raises(heddle.Error, "no generator function", w.thread, lambda: None)
        w.thread(forgets, w, None)
        self.raises(heddle.Error, "generator function", w.text)

    def test_what_a_thread_raises_ends_the_run(self):
        w = heddle.Workload()

        @w.thread
        def broken():
            yield w.now()
            raise ZeroDivisionError("mine")

        self.raises(ZeroDivisionError, "mine", run, w)

    def test_it_is_deterministic(self):
        def latencies():
            w, out = heddle.Workload(), []
            q, s, k = w.queue(), w.stream(), w.kernel("k", us=30)

            @w.thread
            def arrivals():
                rng = random.Random(1)
                while (yield w.now()) < 10_000_000:
                    yield q.put((yield w.now()))
                    yield w.sleep(us=rng.expovariate(1 / 20))
                yield q.close()

            @w.thread
            def server():
                while batch := (yield q.get(max=8, timeout_us=50)):
                    yield s.launch(k, us=20 + 5 * len(batch))
                    yield s.synchronize()
                    now = yield w.now()
                    out.extend(now - t for t in batch)

            r = run(w)
            return out, r.end_us, r.calls

        self.assertEqual(latencies(), latencies())

    def test_queues_beside_written_threads(self):
        w = heddle.Workload()
        q = w.queue()
        with w.thread("writer"):
            w.sleep(us=10)
            q.put()
            q.put()
        with w.thread("reader"):
            q.get(max=2, timeout_us=1)
            w.now()
            q.get()
        r = run(w)
        self.assertEqual(list(r.answers.answer), ["10000 ns"])
        self.assertIn("into which nobody puts anything", r.deadlock[0])


if __name__ == "__main__":
    unittest.main()
