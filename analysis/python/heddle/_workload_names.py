"""CUDA's names for what a Workload has under another one or with other arguments."""
from __future__ import annotations

from typing import Any, Optional

from heddle._workload_base import Base, Dim, Handle, value_of
from heddle.errors import Error


class CudaNames(Base):
    """Thin: each is made of another method."""

    def memcpy_2d_async(self, to: Handle, to_pitch: int, source: Handle, source_pitch: int, width: int, height: int,
                        stream: Optional[Handle] = None, *, to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None:
        """cudaMemcpy2DAsync: `height` rows of `width` bytes. With both pitches equal to the width it is one piece.

        Args:
            to, source: buffers.
            to_pitch, source_pitch: bytes from a row to the next.
            width, height: bytes of a row, rows.
            stream: None: stream 0.
            to_offset, source_offset: where in the buffers, in bytes.
        """
        size, rows = self._pitched(to_pitch, source_pitch, width, height)
        self.memcpy_async(to, source, size, stream, rows, to_offset=to_offset, source_offset=source_offset)

    def memcpy_2d(self, to: Handle, to_pitch: int, source: Handle, source_pitch: int, width: int, height: int, *,
                  to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None:
        """cudaMemcpy2D.

        Args:
            to, source: buffers.
            to_pitch, source_pitch: bytes from a row to the next.
            width, height: bytes of a row, rows.
            to_offset, source_offset: where in the buffers, in bytes.
        """
        size, rows = self._pitched(to_pitch, source_pitch, width, height)
        self.memcpy(to, source, size, rows, to_offset=to_offset, source_offset=source_offset)

    @staticmethod
    def _pitched(to_pitch: int, source_pitch: int, width: int, height: int):
        for name, value in (("to_pitch", to_pitch), ("source_pitch", source_pitch), ("width", width), ("height", height)):
            if value_of(name, value) < 1:
                raise Error(f"{name}={value!r}; legal: 1 or more")
        for name, value in (("to_pitch", to_pitch), ("source_pitch", source_pitch)):
            if value < width:
                raise Error(f"{name}={value!r}: less than the width, {width} (cudaErrorInvalidPitchValue)")
        return int(width) * int(height), 1 if to_pitch == width == source_pitch else int(height)

    def launch_cooperative_kernel(self, kernel: Handle, grid: Optional[Dim] = None, block: Optional[Dim] = None,
                                  stream: Optional[Handle] = None, **more: Any) -> Handle:
        """cudaLaunchCooperativeKernel: launch(..., cooperative=True).

        Args:
            kernel: of this workload.
            grid, block: of this launch; None: the kernel's.
            stream: None: stream 0.
            more: of launch.

        Returns:
            The kernel.
        """
        return self.launch(kernel, grid, block, stream, cooperative=True, **more)

    def stream_create_with_priority(self, priority: int, non_blocking: bool = False, name: str = "", device: int = 0) -> Handle:
        """cudaStreamCreateWithPriority.

        Args:
            priority: lower numbers go first, as in CUDA.
            non_blocking: cudaStreamNonBlocking.
            name: "stream1", ... if empty.
            device: its GPU.

        Returns:
            The stream, there from this call on.
        """
        return self.stream_create(name, non_blocking, priority, device)

    def graph_clone(self, original: Handle, name: str = "") -> Handle:
        """cudaGraphClone: later changes of one graph are none of the other's.

        Args:
            original: a graph without memory nodes.
            name: of the clone, "graph1", ... if empty.

        Returns:
            The clone, a graph from this call on.
        """
        graph = self.graph_create(name)
        self._call("graph_clone", graph=graph, original=self._is("graph", original))
        return graph
