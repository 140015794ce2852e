"""Memory of a Workload: allocations, pools, unified memory, what stays in the L2."""
from __future__ import annotations

import os
from typing import Optional, Sequence, Union

from heddle._workload_base import Access, AccessPolicyWindow, Base, Handle, fields, message, word
from heddle.errors import Error

MEMORY = ("device", "pinned", "pageable", "write_combined", "mapped", "managed")
MODES = ("read", "write", "read_write", "atomic")
PROPERTIES = ("normal", "streaming", "persisting")
ADVICE = ("set_read_mostly", "unset_read_mostly", "set_preferred_location", "unset_preferred_location", "set_accessed_by",
          "unset_accessed_by")
ATTACH = ("global", "host", "single")
LIMITS = ("persisting_l2_bytes", "dev_runtime_pending_launch_count", "dev_runtime_sync_depth")
POOL_ATTRIBUTES = ("release_threshold", "follow_event_dependencies", "allow_opportunistic", "allow_internal_dependencies")


class MemoryCalls(Base):
    """Buffers that exist from the start, and calls about memory."""

    # ---- there from the start

    def buffer(self, bytes: Optional[int], memory: str = "device", name: str = "", device: int = 0, *,
               trace_address: Optional[int] = None, data: Union[str, os.PathLike, None] = None,
               result: Union[str, os.PathLike, None] = None) -> Handle:
        """Memory that exists from the start (HM01, HM03, HM04).

        Kernels of modules that have it as an argument work on what it holds, and copies move that: the program computes, in the
        order of simulated time, and HostResults.buffers has what those with data or a result hold at the end.

        Args:
            bytes: its size; None: that of `data`.
            memory: "device", "pinned", "pageable", "write_combined", "mapped" or "managed".
            name: "buffer1", ... if empty.
            device: the GPU of device memory.
            trace_address: where the traces of kernels have it, for access-policy windows of such kernels.
            data: what it holds at first: the path of a .npy, "zeros:TYPE:COUNT", "ones:TYPE:COUNT" or "arange:TYPE:COUNT".
            result: the path of a .npy that gets what it holds at the end.

        Returns:
            What copies and memsets take.
        """
        def path(x):
            return os.path.abspath(x) if isinstance(x, os.PathLike) or str(x).endswith(".npy") else x
        return self._buffer(bytes, memory, name, device, trace_address=trace_address, data=data and path(data),
                            result=result and path(result))

    def _buffer(self, bytes, memory, name, device, **more) -> Handle:
        return self._new("buffer", name, "memory: " + word("memory", memory, MEMORY),
                         fields(bytes=bytes, device=device, **more))

    def device(self, bytes: int, name: str = "", device: int = 0) -> Handle:
        """Device memory that exists from the start.

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.
            device: its GPU.

        Returns:
            What copies and memsets take.
        """
        return self.buffer(bytes, "device", name, device)

    def pinned(self, bytes: int, name: str = "") -> Handle:
        """Pinned host memory that exists from the start.

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.

        Returns:
            What copies take.
        """
        return self.buffer(bytes, "pinned", name)

    def pageable(self, bytes: int, name: str = "") -> Handle:
        """Host memory of C's malloc.

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.

        Returns:
            What copies take.
        """
        return self.buffer(bytes, "pageable", name)

    def managed(self, bytes: int, name: str = "") -> Handle:
        """Unified memory that exists from the start. Its pages move by what kernels and host_access say they touch (UM03, UM04).

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.

        Returns:
            What kernels, prefetches and advice take.
        """
        return self.buffer(bytes, "managed", name)

    def access(self, buffer: Handle, mode: str = "read", offset: int = 0, bytes: Optional[int] = None, *,
               element_bytes: Optional[int] = None, stride_bytes: Optional[int] = None,
               alias_fence: Optional[bool] = None, after_call: Optional[int] = None,
               before_call: Optional[int] = None, by_caller: Optional[bool] = None) -> Access:
        """What a kernel or the host does to a part of a buffer, for `accesses` of kernel, launch and host_access (HM09, VM05).

        Args:
            buffer: the buffer.
            mode: "read", "write", "read_write" or "atomic".
            offset, bytes: the part; bytes None: to the buffer's end.
            element_bytes: of a kernel's access to host memory or another device's: bytes of one thread (4).
            stride_bytes: from there to the next thread's (element_bytes).
            alias_fence: fence.proxy.alias is between it and what the kernel does through other addresses of the memory.
            after_call, before_call: of a kernel with device_launch: each block has made so many of its calls, at least and at
                most.
            by_caller: by the thread that makes them.

        Returns:
            The access.
        """
        return Access(f"access {{ {fields(buffer=self._is('buffer', buffer), mode=word('mode', mode, MODES))} " +
                      fields(offset=offset or None, bytes=bytes, element_bytes=element_bytes, stride_bytes=stride_bytes,
                             alias_fence=alias_fence, after_call=after_call, before_call=before_call,
                             by_caller=by_caller) + " }")

    def _accesses(self, reads: Sequence[Handle], writes: Sequence[Handle], accesses: Sequence[Access]) -> str:
        for a in accesses:
            if not isinstance(a, Access):
                raise Error(f"accesses: {a!r} is none; Workload.access() makes them")
        return " ".join(a.text for a in [*(self.access(b) for b in reads), *(self.access(b, "write") for b in writes),
                                         *accesses])

    def host_access(self, reads: Sequence[Handle] = (), writes: Sequence[Handle] = (),
                    accesses: Sequence[Access] = ()) -> None:
        """The program's own reads and writes: what unified memory moves by and what run_host(check=True) looks at.

        Args:
            reads, writes: buffers, all of each.
            accesses: parts of buffers, of access().
        """
        self.call(message("host_access", self._accesses(reads, writes, accesses)))

    # ---- allocations

    def _allocate(self, size: Union[int, Handle], memory: str, name: str, device: int = 0) -> Handle:
        if isinstance(size, Handle):
            return self._is("buffer", size)
        return self._buffer(size, memory, name, device, allocated_by_call=True)

    def _malloc(self, size, memory, name, device=0) -> Handle:
        b = self._allocate(size, memory, name, device)
        self.call(fields(malloc_buffer=b))
        return b

    def malloc(self, bytes: Union[int, Handle], name: str = "", device: int = 0) -> Handle:
        """cudaMalloc (ST15).

        Args:
            bytes: the size; or a buffer of an earlier allocation that was freed since, which is then there again.
            name: "buffer1", ... if empty.
            device: its GPU, the thread's of cudaSetDevice.

        Returns:
            The buffer, there from this call to its free().
        """
        return self._malloc(bytes, "device", name, device)

    def malloc_host(self, bytes: Union[int, Handle], name: str = "", memory: str = "pinned") -> Handle:
        """cudaMallocHost, cudaHostAlloc.

        Args:
            bytes: the size; or a buffer of an earlier allocation.
            name: "buffer1", ... if empty.
            memory: "pinned"; of cudaHostAlloc: "write_combined", "mapped".

        Returns:
            The buffer, there from this call to its free().
        """
        word("memory", memory.lower(), ("pinned", "write_combined", "mapped"))
        return self._malloc(bytes, memory, name)

    def host_register(self, buffer: Handle) -> None:
        """cudaHostRegister: copies take the memory for pinned until host_unregister (HM01).

        Args:
            buffer: pageable memory.
        """
        self.call(fields(host_register=self._is("buffer", buffer)))

    def host_unregister(self, buffer: Handle) -> None:
        """cudaHostUnregister.

        Args:
            buffer: of host_register.
        """
        self.call(fields(host_unregister=self._is("buffer", buffer)))

    def malloc_managed(self, bytes: Union[int, Handle], name: str = "") -> Handle:
        """cudaMallocManaged (UM03, UM04).

        Args:
            bytes: the size; or a buffer of an earlier allocation.
            name: "buffer1", ... if empty.

        Returns:
            The buffer, there from this call to its free().
        """
        return self._malloc(bytes, "managed", name)

    def free(self, buffer: Handle) -> None:
        """cudaFree or cudaFreeHost, as the buffer's memory asks (ST15).

        Args:
            buffer: the buffer.
        """
        self.call(fields(free_buffer=self._is("buffer", buffer)))

    def malloc_async(self, bytes: Union[int, Handle], stream: Optional[Handle] = None, pool: Optional[Handle] = None,
                     name: str = "", device: int = 0) -> Handle:
        """cudaMallocAsync, cudaMallocFromPoolAsync. In a capture: a memory node (SO01, GN01).

        Args:
            bytes: the size; or a buffer of an earlier allocation.
            stream: None: stream 0.
            pool: None: the default pool of the device.
            name: "buffer1", ... if empty.
            device: the GPU.

        Returns:
            The buffer.
        """
        b = self._allocate(bytes, "device", name, device)
        self._call("malloc_async", buffer=b, stream=self._is("stream", stream, True), pool=self._is("pool", pool, True))
        return b

    def free_async(self, buffer: Handle, stream: Optional[Handle] = None) -> None:
        """cudaFreeAsync. In a capture: a memory node (SO01, GN01).

        Args:
            buffer: the buffer.
            stream: None: stream 0.
        """
        self._call("free_async", buffer=self._is("buffer", buffer), stream=self._is("stream", stream, True))

    def mem_get_info(self) -> None:
        """cudaMemGetInfo, of the current device; see HostResults.answers."""
        self.call("mem_get_info: true")

    # ---- pools

    def mem_pool(self, name: str = "", max_bytes: Optional[int] = None, device: int = 0) -> Handle:
        """A pool besides the devices' default pools, there from the start: cudaMemPoolCreate (SO03).

        Args:
            name: "pool1", ... if empty.
            max_bytes: None: the device's memory.
            device: its GPU.

        Returns:
            What calls take as `pool`.
        """
        return self._new("pool", name, fields(max_bytes=max_bytes, device=device))

    def mem_pool_set_attribute(self, pool: Optional[Handle], attribute: str, value: Union[int, bool]) -> None:
        """cudaMemPoolSetAttribute (SO04, SO08 to SO10).

        Args:
            pool: None: the current device's default pool.
            attribute: "release_threshold" (bytes), "follow_event_dependencies", "allow_opportunistic" or
                "allow_internal_dependencies".
            value: bytes, or whether.
        """
        word("attribute", attribute, POOL_ATTRIBUTES)
        self._call("pool_set_attribute", pool=self._is("pool", pool, True),
                   **{attribute: int(value) if attribute == "release_threshold" else bool(value)})

    def mem_pool_set_access(self, pool: Optional[Handle], device: int, enabled: bool = True) -> None:
        """cudaMemPoolSetAccess (SO12).

        Args:
            pool: None: the current device's default pool.
            device: that gets, or loses, access.
            enabled: whether it has it from now on.
        """
        self._call("pool_set_access", pool=self._is("pool", pool, True), device=device, enabled=enabled)

    def mem_pool_trim_to(self, pool: Optional[Handle] = None, keep_bytes: int = 0) -> None:
        """cudaMemPoolTrimTo (SO05).

        Args:
            pool: None: the current device's default pool.
            keep_bytes: that it keeps reserved.
        """
        self._call("pool_trim", pool=self._is("pool", pool, True), keep_bytes=keep_bytes)

    def mem_pool_stats(self, pool: Optional[Handle] = None) -> None:
        """cudaMemPoolGetAttribute: reserved and used memory and their highest; see HostResults.answers (SO06).

        Args:
            pool: None: the current device's default pool.
        """
        self.call(fields(pool_stats=self._is("pool", pool) if pool else ""))

    def mem_pool_reset_high(self, pool: Optional[Handle] = None) -> None:
        """cudaMemPoolSetAttribute of the highest reserved and used memory, to 0.

        Args:
            pool: None: the current device's default pool.
        """
        self.call(fields(pool_reset_high=self._is("pool", pool) if pool else ""))

    # ---- unified memory

    def mem_prefetch_async(self, buffer: Handle, device: Optional[int] = None, stream: Optional[Handle] = None,
                           offset: int = 0, bytes: Optional[int] = None) -> None:
        """cudaMemPrefetchAsync (UM07).

        Args:
            buffer: managed memory.
            device: where to; None: the host.
            stream: None: stream 0.
            offset, bytes: the part; bytes None: to the buffer's end.
        """
        self._call("mem_prefetch_async", buffer=self._is("buffer", buffer), device=device,
                   stream=self._is("stream", stream, True), offset=offset, bytes=bytes)

    def mem_advise(self, buffer: Handle, advice: str, device: Optional[int] = None) -> None:
        """cudaMemAdvise (UM08).

        Args:
            buffer: managed memory.
            advice: "set_read_mostly", "set_preferred_location", "set_accessed_by", or "unset_..." of them.
            device: that it is about; None: the host.
        """
        self._call("mem_advise", buffer=self._is("buffer", buffer), advice=word("advice", advice, ADVICE), device=device)

    def mem_range_attributes(self, buffer: Handle) -> None:
        """cudaMemRangeGetAttributes; see HostResults.answers (UM16).

        Args:
            buffer: managed memory.
        """
        self.call(fields(mem_range_attributes=self._is("buffer", buffer)))

    def stream_attach_mem_async(self, stream: Optional[Handle], buffer: Handle, to: str = "single") -> None:
        """cudaStreamAttachMemAsync (UM15).

        Args:
            stream: None: stream 0.
            buffer: managed memory.
            to: "global", "host" or "single" (the stream).
        """
        self._call("stream_attach_mem_async", stream=self._is("stream", stream, True),
                   buffer=self._is("buffer", buffer), to=word("to", to, ATTACH))

    # ---- limits, and what stays in the L2

    def device_set_limit(self, limit: str, value: int) -> None:
        """cudaDeviceSetLimit, of the current device (C18).

        Args:
            limit: "persisting_l2_bytes" (cudaLimitPersistingL2CacheSize): the L2's set-aside;
                "dev_runtime_pending_launch_count", "dev_runtime_sync_depth" (before compute capability 9.0).
            value: of the L2 bytes, rounded up to whole ways.
        """
        self.call(message("device_set_limit", f"{word('limit', limit, LIMITS).lower()}: {value}"))

    def device_get_limit(self, limit: str) -> None:
        """cudaDeviceGetLimit, of the current device; see HostResults.answers.

        Args:
            limit: as of device_set_limit.
        """
        self.call(message("device_get_limit", f"{word('limit', limit, LIMITS).lower()}: 0"))

    def access_policy_window(self, buffer: Handle, bytes: Optional[int] = None, hit_ratio: float = 1.0, *,
                             hit: str = "persisting", miss: str = "streaming", offset: int = 0) -> AccessPolicyWindow:
        """cudaAccessPolicyWindow, for streams, launches and kernel nodes of graphs (C14, C16, GR30).

        Args:
            buffer: whose lines; with trace_address if kernels are given as traces.
            bytes: None: to the buffer's end.
            hit_ratio: the share of the lines that get `hit`, 0 to 1; the others get `miss`.
            hit: "normal", "streaming" or "persisting".
            miss: "normal" or "streaming".
            offset: of the window in the buffer, in bytes.

        Returns:
            What stream_set_access_policy_window, launch and graph_add_kernel_node take as `window`.
        """
        return AccessPolicyWindow(message("window", fields(
            buffer=self._is("buffer", buffer), offset=offset or None, bytes=bytes, hit_ratio=float(hit_ratio),
            hit=word("hit", hit, PROPERTIES), miss=word("miss", miss, PROPERTIES))))

    @staticmethod
    def _window(window: Optional[AccessPolicyWindow]) -> str:
        if window is not None and not isinstance(window, AccessPolicyWindow):
            raise Error(f"window: {window!r} is none; Workload.access_policy_window() makes them")
        return window.text if window is not None else ""

    def stream_set_access_policy_window(self, stream: Optional[Handle],
                                        window: Optional[AccessPolicyWindow] = None) -> None:
        """cudaStreamSetAttribute with cudaStreamAttributeAccessPolicyWindow.

        Args:
            stream: None: stream 0.
            window: None: none from now on.
        """
        self.call(message("stream_set_access_policy_window", " ".join(
            t for t in (fields(stream=self._is("stream", stream, True)), self._window(window)) if t)))

    def ctx_reset_persisting_l2_cache(self) -> None:
        """cudaCtxResetPersistingL2Cache: all persisting lines are normal again."""
        self.call("reset_persisting_l2_cache: true")
