"""An inference server on a simulated GPU: two kinds of requests with Poisson arrivals, dynamic batching, eight host threads.

usage: inference_server.py [SECONDS [LOAD [GPUS]]]
"""
import random
import sys

import heddle

KINDS = {  # requests a second at load 1, blocks of a request, most in a batch, priority of the streams
    "interactive": (300, 120, 8, -5),
    "bulk": (300, 1100, 32, 0),
}


def serve(seconds=60.0, load=1.0, priorities=True, gpus=1, seed=1, **run):
    """Latencies of each kind's requests in ms, and heddle's HostResults."""
    w = heddle.Workload("inference_server", devices=gpus)
    layers = w.kernel("layers", block_us=500)
    host = w.pinned(32 << 20)
    latencies = {kind: [] for kind in KINDS}

    def arrivals(q, rate, rng):
        while (now := (yield w.now())) < seconds * 1e9:
            yield q.put(now)
            yield w.sleep(us=rng.expovariate(rate) * 1e6)
        yield q.close()

    def worker(q, kind, device, stream, done, buffer):
        _, blocks, most, _ = KINDS[kind]
        yield w.set_device(device)
        while batch := (yield q.get(max=most, timeout_us=500)):
            yield stream.memcpy_async(buffer, host, len(batch) * 600_000)
            yield stream.launch(layers, grid=blocks * len(batch), block=256)
            yield stream.memcpy_async(host, buffer, len(batch) * 4_000)
            yield stream.record(done)
            yield done.synchronize()
            now = yield w.now()
            latencies[kind] += [(now - came) / 1e6 for came in batch]

    for n, (kind, (rate, _, _, priority)) in enumerate(KINDS.items()):
        q = w.queue(kind)
        w.thread(arrivals, q, rate * load, random.Random(100 * seed + n), thread_name=f"{kind} arrivals")
        for i in range(3):
            device = i % gpus
            stream = w.stream(f"{kind} {i}", True, priority if priorities else 0, device)
            w.thread(worker, q, kind, device, stream, w.event(timing=False, device=device),
                     w.device(32 << 20, device=device), thread_name=f"{kind} worker {i}")
    return latencies, heddle.run_host(w, gpu="h200", **run)


if __name__ == "__main__":
    given = [float(a) for a in sys.argv[1:4]] + [60, 1, 1][len(sys.argv) - 1:]
    of_kind, results = serve(given[0], given[1], gpus=int(given[2]))
    for kind, ms in of_kind.items():
        ms.sort()
        print(kind, len(ms), "requests, ms:", *(f"p{p} {ms[int(len(ms) * p / 100)]:.2f}" for p in (50, 95, 99)))
    print(results)
