"""Calls that kernels of a workload make themselves: dynamic parallelism."""
from __future__ import annotations

from typing import Any, Optional

from heddle._workload_base import Base, Handle, fields, message, word

CHILD_INTO = ("null_stream", "fire_and_forget", "tail")


class NestedCalls(Base):
    """Each adds a call to those of a kernel: a block makes them in this order. None is a call of the host's."""

    def _device_call(self, kernel: Handle, stream: Optional[str], who: dict, **what: Any) -> None:
        known = ("after_us", "at_end", "blocks", "all_blocks", "threads", "times", "levels", "barrier")
        for name in who:
            if name not in known:
                raise TypeError(f"{name}: none of {', '.join(known)}")
        texts = self._growing("kernel", self._is("kernel", kernel).name)
        texts.append(message("device_call", fields(**what, stream=stream or None, **who)))

    def device_launch(self, kernel: Handle, child: Handle, into: str = "null_stream", stream: Optional[str] = None, *,
                      passes_local: Optional[bool] = None, passes_shared: Optional[bool] = None, **who: Any) -> None:
        """The kernel launches another, which may be defined later, or itself (DP01, DP05, DP06).

        Args:
            kernel: of this workload.
            child: what it launches.
            into: "null_stream" (the block's own), "fire_and_forget" or "tail".
            stream: instead, a name: a stream that the grid makes.
            passes_local, passes_shared: the child gets a pointer to such memory of its parent's, which is illegal.
            who: makes the call, and when: after_us (the block's start), at_end, blocks (the grid's first so many; 1), all_blocks,
                threads (of each), times (by each thread), levels (only in grids that are nested less deep; the host's are at 0),
                barrier (__syncthreads() is before it).
        """
        self._device_call(kernel, stream, who, launch=self._is("kernel", child),
                          into=None if stream else word("into", into, CHILD_INTO), passes_local=passes_local,
                          passes_shared=passes_shared)

    def device_event_create(self, kernel: Handle, events: int, **who: Any) -> None:
        """The kernel makes events without names; named ones are made by their first use (DP07).

        Args:
            kernel: of this workload.
            events: how many.
            who: as of device_launch.
        """
        self._device_call(kernel, None, who, event_create=events)

    def device_event_record(self, kernel: Handle, event: str, stream: Optional[str] = None, **who: Any) -> None:
        """cudaEventRecord in the kernel (DP07).

        Args:
            kernel: of this workload.
            event: the name of an event of the grid's.
            stream: the name of a stream of the grid's; None: the block's NULL stream.
            who: as of device_launch.
        """
        self._device_call(kernel, stream, who, event_record=event)

    def device_stream_wait_event(self, kernel: Handle, stream: Optional[str], event: str, **who: Any) -> None:
        """cudaStreamWaitEvent in the kernel (DP07).

        Args:
            kernel: of this workload.
            stream: the name of a stream of the grid's; None: the block's NULL stream.
            event: the name of an event of the grid's.
            who: as of device_launch.
        """
        self._device_call(kernel, stream, who, stream_wait_event=event)

    def device_kernel_synchronize(self, kernel: Handle, **who: Any) -> None:
        """cudaDeviceSynchronize in a kernel with cdp1=True: the block waits for its children (DP08).

        Args:
            kernel: of this workload.
            who: as of device_launch.
        """
        self._device_call(kernel, None, who, device_synchronize=True)
