"""Threads of a Workload that decide what they call: generator functions that run against the simulated clock."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, ContextManager, Dict, List, Optional, Sequence, Tuple, Union

from heddle._workload_base import Base, Dim, Handle, caller, fields, message, text_of, value_of
from heddle.errors import CallError, Error

# What a thread may make while the program runs; all else is there before. Of streams and buffers: those that a call makes, and
# the program's own memory.
GROWS = ("event", "kernel", "pool", "graph", "graph_exec", "stream", "buffer")


class LiveCall:
    """A call that a generator has made and is to yield.

    Attributes:
        text: in the syntax of workload files.
    """
    __slots__ = ("text", "place", "method", "result", "item", "take")

    def __init__(self, text: str, place: str):
        self.text, self.place, self.method, self.result, self.item, self.take = text, place, "", None, 0, None

    def __repr__(self) -> str:
        return f"<call {{ {self.text} }} of {self.place}>"


def yielded(method: Callable) -> Callable:
    """The method; in a thread that runs it gives the call, for `yield`."""
    @functools.wraps(method)
    def made(self, *args, **kwargs):
        running = self._running
        if running is None:
            return method(self, *args, **kwargs)
        before = len(running.made)
        result = method(self, *args, **kwargs)
        if len(running.made) == before:
            return result
        call = running.made[-1]
        if not isinstance(result, LiveCall):  # that of a method that this one has called
            call.result = result
            call.method = method.__name__
        return call
    return made


class Stream(Handle):
    """A stream, a Handle with its kind, name and graph (""). Its methods are the workload's, with it as `stream`."""

    def launch(self, kernel: Union[Handle, str], grid: Optional[Dim] = None, block: Optional[Dim] = None, **more: Any) -> None:
        """Workload.launch into this stream.

        Args:
            kernel: of this workload; or the name of a new one.
            grid, block: of this launch; None: the kernel's.
            more: of the method of the workload.
        """
        return self._w.launch(kernel, grid, block, self, **more)

    def memcpy_async(self, to: Handle, source: Handle, bytes: Optional[int] = None, **more: Any) -> None:
        """Workload.memcpy_async in this stream.

        Args:
            to, source: buffers.
            bytes: None: all.
            more: of the method of the workload.
        """
        return self._w.memcpy_async(to, source, bytes, self, **more)

    def memset_async(self, to: Handle, bytes: Optional[int] = None, **more: Any) -> None:
        """Workload.memset_async in this stream.

        Args:
            to: the buffer.
            bytes: None: all.
            more: of the method of the workload.
        """
        return self._w.memset_async(to, bytes, self, **more)

    def graph_launch(self, exec: Handle) -> None:
        """Workload.graph_launch into this stream.

        Args:
            exec: the executable graph.
        """
        return self._w.graph_launch(exec, self)

    def launch_host_func(self, us: float = 0, **more: Any) -> None:
        """Workload.launch_host_func in this stream.

        Args:
            us: the function's time.
            more: of the method of the workload.
        """
        return self._w.launch_host_func(us, self, **more)

    def record(self, event: Handle) -> None:
        """Workload.event_record in this stream.

        Args:
            event: the event.
        """
        return self._w.event_record(event, self)

    def wait_event(self, event: Handle) -> None:
        """Workload.stream_wait_event.

        Args:
            event: the event.
        """
        return self._w.stream_wait_event(self, event)

    def synchronize(self) -> None:
        """Workload.stream_synchronize."""
        return self._w.stream_synchronize(self)

    def query(self) -> None:
        """Workload.stream_query: in a thread that runs, yields whether all is done."""
        return self._w.stream_query(self)


class Event(Handle):
    """An event, a Handle with its kind, name and graph (""). Its methods are the workload's."""

    def record(self, stream: Optional[Handle] = None) -> None:
        """Workload.event_record.

        Args:
            stream: None: stream 0.
        """
        return self._w.event_record(self, stream)

    def synchronize(self) -> None:
        """Workload.event_synchronize."""
        return self._w.event_synchronize(self)

    def query(self) -> None:
        """Workload.event_query: in a thread that runs, yields whether it is done."""
        return self._w.event_query(self)

    def elapsed_time(self, end: Handle) -> None:
        """Workload.event_elapsed_time from this event to another: in a thread that runs, yields microseconds.

        Args:
            end: the later event.
        """
        return self._w.event_elapsed_time(self, end)


class Queue(Handle):
    """What host threads hand each other, a Handle with its kind, name and graph (""); Workload.queue makes it. len() is how many items
    were put and not got."""

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return True

    def put(self, item: Any = None) -> None:
        """Puts an item; waits while the queue has as many as it takes.

        Args:
            item: any object; from a thread that does not decide while it runs, it must be None.
        """
        return self._w._queue_put(self, item)

    def get(self, max: Optional[int] = None, timeout_us: float = 0, give_up_us: Optional[float] = None) -> Any:
        """Takes items, the oldest first; several threads that wait get theirs in turn.

        Args:
            max: at most so many; None: one.
            timeout_us: with `max`: having an item, waits for others until there are `max`, or the oldest was put so long ago.
            give_up_us: so long after the call, goes on with what there is, be it nothing; 0: does not wait.

        Returns:
            To be yielded, which gives a list of items, or, without `max`, the item. Of a queue that is closed and empty, and
            when it has given up: an empty list, or None.
        """
        return self._w._queue_get(self, max, timeout_us, give_up_us)

    def get_nowait(self, max: Optional[int] = None) -> Any:
        """get() of what is there now.

        Args:
            max: at most so many; None: one.

        Returns:
            As get.
        """
        return self.get(max, give_up_us=0)

    def close(self) -> None:
        """Nothing is put any more. Who waits for items goes on."""
        return self._w._queue_close(self)


CLASSES = {"stream": Stream, "event": Event, "queue": Queue}


class ThreadOf:
    """What Workload.thread(name) gives: `with` it, or decorate with it."""

    def __init__(self, w: Base, name: str):
        self._w, self._name, self._before = w, name, []

    def __enter__(self):
        self._before.append(self._w._enter_thread(self._name))
        return self._w

    def __exit__(self, *_):
        self._w._thread = self._before.pop()

    def __call__(self, function: Callable) -> Callable:
        self._w._add_live(function, (), self._name)
        return function


class LiveThreads(Base):
    """Threads that decide, queues, the clock."""

    def __init__(self):
        super().__init__()
        self._live: Dict[str, Tuple[Callable, tuple]] = {}  # by thread: the generator function, its arguments
        self._running: Optional[Driver] = None

    def thread(self, name: Union[str, Callable], *args: Any, thread_name: str = "") -> Any:
        """A host thread: one whose calls are written down, or one that decides what it calls while the program runs.

            with w.thread("other"):              # the calls inside are that thread's
                w.launch(k, stream=s)

            @w.thread                            # a generator function, which yields its calls
            def server():
                while True:
                    batch = yield q.get(max=8, timeout_us=500)
                    yield s.launch(k, grid=len(batch))

        `yield` gives what the call says when it has returned: queries whether all is done, now() nanoseconds, event_elapsed_time
        microseconds, get() items, calls that make something what they have made. A call that fails raises CallError there. A
        thread that waits for a queue when nothing else can happen any more has ended.

        Args:
            name: of a thread, new or not; or a generator function, whose name is the thread's.
            args: of the generator function.
            thread_name: another name, for several threads of one function.

        Returns:
            For a name, what `with` and decorators take; the function for a function.
        """
        if isinstance(name, str):
            if args or thread_name:
                raise Error(f"thread({name!r}): arguments are for a generator function")
            return ThreadOf(self, name)
        self._add_live(name, args, thread_name)
        return name

    def _enter_thread(self, name: str) -> str:
        if self._running is not None or name in self._live:
            raise Error(f'thread "{name}": a generator function yields its calls')
        before, self._thread = self._thread, name
        if name not in self._threads:
            self._threads[name] = []
            self._places["thread", name] = caller()
        return before

    def _add_live(self, function: Callable, args: tuple, name: str) -> None:
        if not inspect.isgeneratorfunction(function):
            raise Error(f"thread: {function!r} is no generator function (it yields its calls)")
        if self._running is not None:
            raise Error("thread: the program runs")
        name = name or function.__name__
        if self._threads.get(name):
            raise Error(f'thread "{name}" is given twice')
        self._threads[name] = []
        self._places["thread", name] = caller()
        self._live[name] = function, args

    def queue(self, name: str = "", capacity: int = 0) -> Queue:
        """A queue that host threads share (what std::queue with a lock and a condition is to a CUDA program).

        Args:
            name: "queue1", ... if empty.
            capacity: who puts more waits; 0: any number.

        Returns:
            The queue: put(), get(), close(). They take no time of their own.
        """
        return self._new("queue", name, fields(capacity=capacity or None))

    def _handle(self, kind: str, name: str) -> Handle:
        if self._running is not None:
            made = " ".join(self._objects[kind, name])
            by_call = kind not in ("stream", "buffer") or "_by_call: true" in made or "memory: PAGEABLE" in made
            if kind not in GROWS or not by_call:
                del self._objects[kind, name]
                raise Error(f"{kind}: made before the program runs, outside of its threads")
            self._running.objects.append((kind, name))
        handle = CLASSES.get(kind, Handle)(kind, name)
        more = {"_items": {}, "_puts": 0, "_closed": False} if kind == "queue" else {}
        for key, value in {"_w": self, **more}.items() if kind in CLASSES else ():
            object.__setattr__(handle, key, value)  # no part of what the handle is
        return handle

    def _growing(self, kind: str, name: str) -> List[str]:
        if self._running is not None and (kind, name) not in self._running.objects:
            raise Error(f'{kind} "{name}": more is said of it before the program runs, or before the next call of the thread that makes it')
        return super()._growing(kind, name)

    def _live_call(self, text: str, expect: Optional[str]) -> bool:
        if self._running is None:
            return False
        if expect is not None:
            raise Error("expect: in a thread that decides, an error is raised where the call is yielded (CallError)")
        self._running.made.append(LiveCall(text, caller()))
        return True

    # ---- the clock

    def now(self) -> None:
        """The simulated time; in a thread that decides, `(yield w.now())` is nanoseconds since the start. Takes no time."""
        self.call("now: true")

    def sleep(self, us: Optional[float] = None, *, ns: Optional[float] = None) -> None:
        """The host thread waits; compute() is for work.

        Args:
            us, ns: how long, one of them.
        """
        self.call(fields(sleep_us=self._time("sleep", us, ns)))

    def sleep_until(self, us: Optional[float] = None, *, ns: Optional[float] = None) -> None:
        """The host thread waits until a time; not at all if it has passed.

        Args:
            us, ns: since the start, one of them.
        """
        self.call(fields(sleep_until_us=self._time("sleep_until", us, ns)))

    @staticmethod
    def _time(what: str, us: Optional[float], ns: Optional[float]) -> float:
        if (us is None) == (ns is None):
            raise Error(f"{what}: one of us and ns")
        return us if ns is None else value_of("ns_us", ns) / 1000

    # ---- queues' calls

    def _queue_put(self, queue: Queue, item: Any) -> None:
        self._is("queue", queue)
        if self._running is None:
            if item is not None:
                raise Error("put: an item that is an object is put by a thread that decides (@w.thread)")
            self.call(message("queue_put", fields(queue=queue)))
            return
        if queue._closed:
            raise Error(f'put: queue "{queue.name}" is closed')
        self.call(message("queue_put", fields(queue=queue)))
        call = self._running.made[-1]
        object.__setattr__(queue, "_puts", queue._puts + 1)
        call.item = queue._puts
        queue._items[call.item] = item

    def _queue_get(self, queue: Queue, most: Optional[int], timeout_us: float, give_up_us: Optional[float]) -> None:
        self._is("queue", queue)
        if most is not None and value_of("max", most) < 1:
            raise Error(f"get: max={most!r}; legal: 1 or more")
        self.call(message("queue_get", fields(queue=queue, max=most, timeout_us=timeout_us or None, give_up_us=give_up_us)))
        if self._running is not None:
            self._running.made[-1].take = queue, most is not None

    def _queue_close(self, queue: Queue) -> None:
        self.call(f"queue_close: {text_of(self._is('queue', queue).name)}")
        object.__setattr__(queue, "_closed", self._running is not None)

    # ---- runs

    def _begin(self) -> List[Driver]:
        """For one run: what the simulator asks for the threads' calls."""
        for handle in self._handles.values():
            if isinstance(handle, Queue):
                handle._items.clear()
                object.__setattr__(handle, "_closed", False)
        self._lasting, self._counted = set(self._handles), dict(self._counts)
        return [Driver(self, name, function, args) for name, (function, args) in self._live.items()]

    def _end(self, drivers: Sequence[Driver]) -> None:
        self._running = None
        for d in drivers:
            d.generator.close()
        for key in [k for k in self._handles if k not in self._lasting]:  # made while it ran
            for of in (self._objects, self._handles, self._places):
                of.pop(key, None)
        self._counts = self._counted


class Driver:
    """Steps one generator of a run."""

    def __init__(self, w: LiveThreads, name: str, function: Callable, args: tuple):
        self.w, self.name, self.made, self.last = w, name, [], None
        self.generator = function(*args)
        self.file = function.__code__.co_filename
        self.objects: List[Tuple[str, str]] = []  # made since the last call

    def step(self, now: int, error: str, why: str, answer: str, elapsed: int, items: Sequence[int]) -> Optional[tuple]:
        """The next call: its text, the line of Python, what a put puts, and what is new; None at the end."""
        last = self.last
        if error:
            return self._advance(self.generator.throw, CallError(error, f"{last.text.split(':')[0].split(' ')[0]}: {error}: {why}"))
        if last is None:
            value = None
        elif last.take is not None:
            queue, several = last.take
            got = [queue._items.pop(i, None) for i in items]
            value = got if several else got[0] if got else None
        elif last.method == "now":
            value = now // 1000
        elif last.method in ("event_query", "stream_query"):
            value = answer == "cudaSuccess"
        elif last.method == "event_elapsed_time":
            if answer:
                return self._advance(self.generator.throw, CallError(answer, f"event_elapsed_time: {answer}"))
            # The difference of two counts of 64 bits: below 0 where the second event came first.
            value = (elapsed - (elapsed >> 63 << 64)) / 1e6
        else:
            value = last.result if last.result is not None else answer or None
        return self._advance(self.generator.send, value)

    def refuse(self, what: str) -> Optional[tuple]:
        """The call that was yielded is wrong: raised where it was."""
        return self._advance(self.generator.throw, Error(what))

    def _advance(self, go: Callable, value: Any) -> Optional[tuple]:
        self.made.clear()
        self.w._running = self
        try:
            while True:
                try:
                    call = go(value)
                except StopIteration:
                    self._all_yielded(None)
                    return None
                wrong = "" if isinstance(call, LiveCall) else f"yield {call!r}: no call of the workload"
                if not wrong:
                    try:
                        self._all_yielded(call)
                        break
                    except Error as e:
                        wrong = str(e)
                self.made.clear()
                go, value = self.generator.throw, Error(wrong)
        finally:
            self.w._running = None
        self.last = call
        new, self.objects = "\n".join(self.w._object_text(*key) for key in self.objects), []
        return call.text, int(call.place.rpartition(":")[2]), call.item, new

    def _all_yielded(self, call: Optional[LiveCall]) -> None:
        for other in self.made:
            if other is not call:
                raise Error(f"{other.place}: this call was made and not yielded")


__all__ = ["CLASSES", "Driver", "Event", "GROWS", "LiveCall", "LiveThreads", "Queue", "Stream", "yielded"]
