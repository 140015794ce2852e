"""Host programs drawn at random, as calls that tests/runtime/programs/script.cu and Python's builder both can make."""
import random

# Blocks and words of each kernel that passes over memory. Each has its own memory, as a Workload's kernel with an argument
# "zeros:f32:N" has.
PASSES = ((16, 1024), (132, 1024), (16, 16384), (132, 16384), (8, 65536), (132, 131072))
# Of each kind of call, so that none is a first one behind the first mark.
WARM = ["stream 0 0", "event 0 1", "event 1 1", "malloc 0 4194304", "malloc_host 1 4194304", "pageable 2 4194304",
        "malloc_async 3 65536 0", "free_async 3 0", "stream_sync 0", "malloc 3 256", "free 3", "malloc_host 3 256", "free_host 3",
        "memcpy 0 1 4096", "memcpy 1 0 4096", "memcpy 0 2 4096", "memcpy 2 0 4096", "memcpy 0 0 4096", "memcpy_async 0 1 4096 0",
        "memcpy_async 1 0 4096 0", "memcpy_async 0 2 4096 0", "memcpy_async 2 0 4096 0", "memset 0 4096", "memset_async 0 4096 0",
        *(f"malloc {5 + i} 4194304" for i in range(len(PASSES))), "spin 1 32 100 0", "pass 16 256 5 1024 0", "device_sync",
        "record 0 0", "wait 0 0", "record 1 0", "event_sync 1", "event_query 0", "elapsed 0 1", "stream_query 0", "host_func 0", "stream_sync 0", "stream 1 1", "stream_destroy 1",
        "priority 1 -3", "stream_destroy 1", "managed 12 4194304", "prefetch 12 65536 0 0", "prefetch 12 65536 -1 0", "memset 12 4096",
        "pageable 13 1048576", "register 13 1048576", "unregister 13", "info", "copy_2d 0 1 1024 8 0", "stream_sync 0", "last_error",
        "event 2 0", "event_destroy 2", "capture 0", "spin 1 32 100 0", "instantiate 0 0", "graph 0 0", "stream_sync 0", "sleep 5000", "device_sync"]
SIZES = (64, 4096, 30000, 65536, 262144, 1 << 20, 4 << 20)


class Program:
    """Lines of calls; every one is legal when it comes."""

    def __init__(self, seed, length=40):
        self.random, self.lines = random.Random(seed), list(WARM) + ["mark"]
        self.streams, self.events, self.buffers, self.graphs = [-1, 0], [0, 1], {0: "device", 1: "pinned", 2: "pageable"}, [0]
        self.recorded, self.number = {0, 1}, 20
        for _ in range(length):
            getattr(self, self.random.choices(*zip(*self.KINDS.items()))[0])()
            if self.random.random() < 0.3:
                self.lines += ["mark"]
        self.lines += ["device_sync", "mark"]

    KINDS = {"launch": 10, "copy": 7, "clear": 3, "mark_event": 5, "wait_event": 3, "wait": 6, "query": 2, "make": 3, "pause": 2,
             "callback": 1, "graph": 2, "other": 3}

    def say(self, *words):
        self.lines.append(" ".join(str(w) for w in words))

    def stream(self):
        return self.random.choice(self.streams)

    def new(self):
        self.number += 1
        return self.number

    def launch(self, stream=None):
        stream = self.stream() if stream is None else stream
        if self.random.random() < 0.6:
            self.say("spin", self.random.choice((1, 20, 132)), self.random.choice((32, 128)),
                     self.random.choice((10, 300, 1500)), stream)
        else:
            which = self.random.randrange(len(PASSES))
            self.say("pass", PASSES[which][0], 256, 5 + which, PASSES[which][1], stream)

    def copy(self, stream=None, pageable=True):
        ends = [b for b, kind in self.buffers.items() if pageable or kind != "pageable"]
        to, source = self.random.sample(ends, 2)
        size = self.random.choice(SIZES)
        if "device" not in (self.buffers[to], self.buffers[source]):
            to = 0
        if stream is None and self.random.random() < 0.4:
            self.say("memcpy", to, source, size)
        else:
            self.say("memcpy_async", to, source, size, self.stream() if stream is None else stream)

    def clear(self, stream=None):
        if stream is None and self.random.random() < 0.3:
            self.say("memset", 0, self.random.choice(SIZES))
        else:
            self.say("memset_async", 0, self.random.choice(SIZES), self.stream() if stream is None else stream)

    def mark_event(self):
        e = self.random.choice(self.events)
        self.recorded.add(e)
        self.say("record", e, self.stream())

    def wait_event(self):
        self.say("wait", self.stream(), self.random.choice(sorted(self.recorded)))

    def wait(self):
        kind = self.random.randrange(4)
        if kind == 0:
            self.say("device_sync")
        elif kind == 1:
            self.say("event_sync", self.random.choice(sorted(self.recorded)))
        elif kind == 2:
            self.say("stream_sync", self.stream())
        else:
            a, b = self.stream(), self.stream()
            for what in (("record", 0, a), ("record", 1, b), ("device_sync",), ("elapsed", 0, 1)):
                self.say(*what)

    def query(self):
        self.random.choice((lambda: self.say("stream_query", self.stream()), lambda: self.say("event_query", self.random.choice(self.events))))()

    def make(self):
        kind, n = self.random.randrange(5), self.new()
        if kind == 0:
            self.say("stream", n, self.random.randrange(2))
            self.streams.append(n)
        elif kind == 1:
            self.say("event", n, 1)
            self.events.append(n)
        elif kind == 2:
            size = self.random.choice(SIZES)
            self.say("malloc", n, size)
            if self.random.random() < 0.5:
                self.launch()
            self.say("free", n)
        elif kind == 3:
            self.say("malloc_host", n, 4 << 20)
            self.buffers[n] = "pinned"
        else:
            stream = self.stream()
            self.say("malloc_async", n, self.random.choice(SIZES), stream)
            self.say("free_async", n, stream)

    def other(self):
        kind = self.random.randrange(6)
        if kind == 0:
            n = self.new()
            self.say("priority", n, self.random.choice((-5, -1, 0)))
            self.streams.append(n)
        elif kind == 1:
            self.say("prefetch", 12, self.random.choice(SIZES), self.random.choice((0, -1)), self.stream())
        elif kind == 2:
            self.say("register", 13, 1 << 20)
            self.say("memcpy_async", 0, 13, self.random.choice(SIZES[:-1]), self.stream())
            self.say("device_sync")
            self.say("unregister", 13)
        elif kind == 3:
            self.say("info")
        elif kind == 4:
            to, source = self.random.choice(((0, 1), (1, 0)))
            self.say("copy_2d", to, source, self.random.choice((256, 1024, 4096)), self.random.choice((4, 64, 200)), self.stream())
        else:
            self.say("last_error")

    def pause(self):
        self.say("sleep", self.random.choice((1, 30, 200)))

    def callback(self):
        self.say("host_func", self.stream())

    def graph(self):
        if len(self.graphs) > 1 and self.random.random() < 0.6:
            self.say("graph", self.random.choice(self.graphs), self.stream())
            return
        n, stream = self.new(), self.random.choice(self.streams[1:])
        self.say("capture", stream)
        for _ in range(self.random.randint(1, 6)):
            self.random.choice((self.launch, self.clear, lambda s: self.copy(s, pageable=False)))(stream)
        self.say("instantiate", n, stream)
        self.say("graph", n, stream)
        self.graphs.append(n)
