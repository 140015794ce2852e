"""Streams, events, copies, host functions, synchronisation and devices of a Workload."""
from __future__ import annotations

from typing import Any, Optional

from heddle._workload_base import Base, Handle, MemSyncDomain, fields, message, text_of, word


class StreamCalls(Base):
    """What is in streams, and what waits for it."""

    # ---- there from the start

    def stream(self, name: str = "", non_blocking: bool = False, priority: int = 0, device: int = 0, *,
               sync_domain: Optional[MemSyncDomain] = None) -> Handle:
        """A stream that exists from the start (ST05, ST12).

        Args:
            name: "stream1", ... if empty.
            non_blocking: cudaStreamNonBlocking: the legacy default stream does not hold it up.
            priority: lower numbers go first, as in CUDA.
            device: its GPU.
            sync_domain: of its kernels, of mem_sync_domain().

        Returns:
            What calls take as `stream`.
        """
        return self._new("stream", name, " ".join(t for t in (
            fields(non_blocking=non_blocking, priority=priority, device=device), self._domain(sync_domain)) if t))

    def mem_sync_domain(self, domain: Optional[str] = None, *, map_default: Optional[int] = None,
                        map_remote: Optional[int] = None) -> MemSyncDomain:
        """cudaLaunchAttributeMemSyncDomain and ...MemSyncDomainMap, for streams, launches and kernel nodes (MD01, MD03, MD05).

        Args:
            domain: "default" or "remote"; None: not set.
            map_default, map_remote: the device's domain, 0 to 3, that each stands for; None: not set.

        Returns:
            What stream, launch and graph_add_kernel_node take as `sync_domain`.
        """
        return MemSyncDomain(message("sync_domain", fields(
            domain=word("domain", domain, ("default", "remote")) if domain is not None else None, map_default=map_default,
            map_remote=map_remote)))

    @staticmethod
    def _domain(domain: Optional[MemSyncDomain]) -> str:
        if domain is not None and not isinstance(domain, MemSyncDomain):
            raise Error(f"sync_domain: {domain!r} is none; Workload.mem_sync_domain() makes them")
        return domain.text if domain is not None else ""

    def event(self, name: str = "", timing: bool = True, device: int = 0, *, blocking_sync: bool = False) -> Handle:
        """An event that exists from the start (EV05, AX16).

        Args:
            name: "event1", ... if empty.
            timing: False: cudaEventDisableTiming.
            device: its GPU.
            blocking_sync: cudaEventBlockingSync: who synchronises with it sleeps until then.

        Returns:
            What calls take as `event`.
        """
        return self._new("event", name, fields(disable_timing=not timing, device=device, blocking_sync=blocking_sync))

    def flag(self, name: str = "") -> Handle:
        """A variable of the program's in host memory, false at first.

        Args:
            name: "flag1", ... if empty.

        Returns:
            What set_flag, wait_flag and kernels take.
        """
        return self._new("flag", name)

    # ---- streams and events

    def stream_create(self, name: str = "", non_blocking: bool = False, priority: int = 0, device: int = 0) -> Handle:
        """cudaStreamCreate, cudaStreamCreateWithPriority (ST01, ST05, ST12).

        Args:
            name: "stream1", ... if empty.
            non_blocking: cudaStreamNonBlocking: the legacy default stream does not hold it up.
            priority: lower numbers go first, as in CUDA.
            device: its GPU.

        Returns:
            The stream, there from this call on.
        """
        s = self._new("stream", name, fields(non_blocking=non_blocking, priority=priority, device=device,
                                             created_by_call=True))
        self.call(fields(stream_create=s))
        return s

    def stream_destroy(self, stream: Handle) -> None:
        """cudaStreamDestroy (ST02).

        Args:
            stream: the stream.
        """
        self.call(fields(stream_destroy=self._is("stream", stream)))

    def event_create(self, name: str = "", timing: bool = True, device: int = 0) -> Handle:
        """cudaEventCreate, cudaEventCreateWithFlags (EV05).

        Args:
            name: "event1", ... if empty.
            timing: False: cudaEventDisableTiming.
            device: its GPU.

        Returns:
            The event.
        """
        e = self.event(name, timing, device)
        self.call(fields(event_create=e))
        return e

    def event_destroy(self, event: Handle) -> None:
        """cudaEventDestroy.

        Args:
            event: the event.
        """
        self.call(fields(event_destroy=self._is("event", event)))

    def event_record(self, event: Handle, stream: Optional[Handle] = None, *, external: bool = False) -> None:
        """cudaEventRecord (EV01).

        Args:
            event: the event.
            stream: None: stream 0.
            external: cudaEventRecordExternal: a node of its own when captured.
        """
        self._call("event_record", event=self._is("event", event), stream=self._is("stream", stream, True),
                   external=external or None)

    def stream_wait_event(self, stream: Optional[Handle], event: Handle, *, external: bool = False) -> None:
        """cudaStreamWaitEvent (ST07).

        Args:
            stream: None: stream 0.
            event: the event.
            external: cudaEventWaitExternal: a node of its own when captured.
        """
        self._call("stream_wait_event", event=self._is("event", event), stream=self._is("stream", stream, True),
                   external=external or None)

    def event_synchronize(self, event: Handle) -> None:
        """cudaEventSynchronize.

        Args:
            event: the event.
        """
        self.call(fields(event_synchronize=self._is("event", event)))

    def event_query(self, event: Handle) -> None:
        """cudaEventQuery; see HostResults.answers (EV06).

        Args:
            event: the event.
        """
        self.call(fields(event_query=self._is("event", event)))

    def event_elapsed_time(self, start: Handle, end: Handle) -> None:
        """cudaEventElapsedTime; see HostResults.elapsed (EV02, EV03).

        Args:
            start, end: events.
        """
        self._call("event_elapsed", **{"from": self._is("event", start), "to": self._is("event", end)})

    def stream_synchronize(self, stream: Optional[Handle] = None) -> None:
        """cudaStreamSynchronize (ST06).

        Args:
            stream: None: stream 0.
        """
        self.call("stream_synchronize: " + text_of(self._is("stream", stream).name if stream else ""))

    def stream_query(self, stream: Optional[Handle] = None) -> None:
        """cudaStreamQuery; see HostResults.answers.

        Args:
            stream: None: stream 0.
        """
        self.call("stream_query: " + text_of(self._is("stream", stream).name if stream else ""))

    def device_synchronize(self) -> None:
        """cudaDeviceSynchronize (ST06)."""
        self.call("device_synchronize: true")

    # ---- copies

    def _copy(self, what: str, to: Handle, source: Handle, **more: Any) -> None:
        self._call(what, **{"to": self._is("buffer", to), "from": self._is("buffer", source)}, **more)

    def memcpy_async(self, to: Handle, source: Handle, bytes: Optional[int] = None, stream: Optional[Handle] = None,
                     rows: Optional[int] = None, *, to_offset: Optional[int] = None,
                     source_offset: Optional[int] = None) -> None:
        """cudaMemcpyAsync (AX05, AX08 to AX11, HM10).

        Args:
            to, source: buffers.
            bytes: None: the smaller one's.
            stream: None: stream 0.
            rows: contiguous pieces that the bytes come in, of a 2D or 3D copy.
            to_offset, source_offset: where in the buffers, in bytes.
        """
        self._copy("memcpy_async", to, source, bytes=bytes, stream=self._is("stream", stream, True), rows=rows,
                   to_offset=to_offset, from_offset=source_offset)

    def memcpy(self, to: Handle, source: Handle, bytes: Optional[int] = None, rows: Optional[int] = None, *,
               to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None:
        """cudaMemcpy (AX16).

        Args:
            to, source: buffers.
            bytes: None: the smaller one's.
            rows: contiguous pieces that the bytes come in, of a 2D or 3D copy.
            to_offset, source_offset: where in the buffers, in bytes.
        """
        self._copy("memcpy", to, source, bytes=bytes, rows=rows, to_offset=to_offset, from_offset=source_offset)

    def memset_async(self, to: Handle, bytes: Optional[int] = None, stream: Optional[Handle] = None, *,
                     offset: Optional[int] = None) -> None:
        """cudaMemsetAsync (AX02).

        Args:
            to: the buffer.
            bytes: None: all.
            stream: None: stream 0.
            offset: where in the buffer, in bytes.
        """
        self._call("memset_async", to=self._is("buffer", to), bytes=bytes, stream=self._is("stream", stream, True),
                   offset=offset)

    def memset(self, to: Handle, bytes: Optional[int] = None, *, offset: Optional[int] = None) -> None:
        """cudaMemset (AX16).

        Args:
            to: the buffer.
            bytes: None: all.
            offset: where in the buffer, in bytes.
        """
        self._call("memset", to=self._is("buffer", to), bytes=bytes, offset=offset)

    # ---- the host

    def compute(self, us: float) -> None:
        """The program's own work on the host.

        Args:
            us: how long.
        """
        self.call(fields(compute_us=us))

    def launch_host_func(self, us: float = 0, stream: Optional[Handle] = None, sets_flag: Optional[Handle] = None, *,
                         calls_cuda: bool = False) -> None:
        """cudaLaunchHostFunc (ST11).

        Args:
            us: the function's time.
            stream: None: stream 0.
            sets_flag: what it sets at its end.
            calls_cuda: it calls CUDA, which it must not: it hangs.
        """
        self._call("launch_host_func", us=us, stream=self._is("stream", stream, True),
                   sets_flag=self._is("flag", sets_flag, True), calls_cuda=calls_cuda or None)

    def set_flag(self, flag: Handle) -> None:
        """The host thread sets a flag.

        Args:
            flag: the flag.
        """
        self.call(fields(set_flag=self._is("flag", flag)))

    def clear_flag(self, flag: Handle) -> None:
        """The host thread clears a flag, for another round: who waits for it from now on waits until it is set again.

        Args:
            flag: the flag.
        """
        self.call(fields(clear_flag=self._is("flag", flag)))

    def wait_flag(self, flag: Handle) -> None:
        """The host thread polls a flag until it is set.

        Args:
            flag: the flag.
        """
        self.call(fields(wait_flag=self._is("flag", flag)))

    def get_last_error(self) -> None:
        """cudaGetLastError; see HostResults.answers (ER01)."""
        self.call("get_last_error: true")

    def peek_at_last_error(self) -> None:
        """cudaPeekAtLastError; see HostResults.answers (ER01)."""
        self.call("peek_at_last_error: true")

    # ---- devices

    def set_device(self, device: int) -> None:
        """cudaSetDevice, of the thread (MU01).

        Args:
            device: the GPU.
        """
        self.call(fields(set_device=device))

    def get_device_count(self) -> None:
        """cudaGetDeviceCount; see HostResults.answers (ER05)."""
        self.call("get_device_count: true")

    def device_get_stream_priority_range(self) -> None:
        """cudaDeviceGetStreamPriorityRange, of the current device: "least 0 greatest -5"; see HostResults.answers (ST12)."""
        self.call("device_get_stream_priority_range: true")

    def device_get_pci_bus_id(self, device: int) -> None:
        """cudaDeviceGetPCIBusId, here the device's number in the machine; see HostResults.answers (ER05).

        Args:
            device: its number in the program, which visible_devices gives.
        """
        self.call(fields(device_get_pci_bus_id=device))
