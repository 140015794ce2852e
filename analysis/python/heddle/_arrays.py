"""Arrays of Python as kernels take them: which may go to the simulated memory, and how results come back."""
from __future__ import annotations

import re
from typing import Any, List, Sequence

import numpy

from heddle._native import native
from heddle.errors import Error


class HostArray:
    """An array as its bytes, which lie one behind the other. They are held while this is: nobody can resize it.

    Attributes:
        view: its bytes, where they are written to if `writable`.
        address, nbytes: where they are.
        shape, format, dtype: of the elements; `format` as a memoryview's.

    Raises:
        Error: it is no array, or its elements mean nothing on a GPU; says why.
    """

    def __init__(self, x: Any):
        self.view, self.writable = None, True
        if isinstance(x, numpy.ma.MaskedArray):
            raise Error("a masked array, whose mask a kernel does not see (x.filled(value) and x.data have none)")
        if isinstance(x, (numpy.ndarray, numpy.generic)):
            self._of_numpy(numpy.asarray(x))
            self.writable = self.writable and isinstance(x, numpy.ndarray)
        elif _has_buffer(x):
            self._of_buffer(x)
        elif hasattr(x, "__array__") and not isinstance(x, type):
            self._converted(x)
        else:
            raise Error(f"{type(x).__name__} is neither a number nor an array (what has the buffer protocol, as numpy's arrays)")
        self.nbytes = self.view.nbytes
        self.writable = self.writable and not self.view.readonly
        self.address = native.buffer_address(self.view)

    def _of_numpy(self, x: numpy.ndarray) -> None:
        if x.dtype.hasobject:
            raise Error(f"an array of {x.dtype}: Python's objects, which a GPU has not (x.astype(numpy.float32) or the like makes numbers)")
        if not x.dtype.isnative:
            raise Error(f"an array of {x.dtype.str if x.dtype.names is None else x.dtype}, big-endian, and a GPU is not "
                        "(x.astype(x.dtype.newbyteorder('=')) copies it)")
        if not x.flags.c_contiguous:
            raise Error("an array whose elements do not lie one behind the other (numpy.ascontiguousarray copies it)")
        self.shape, self.dtype = x.shape, x.dtype
        try:
            self.format = memoryview(x).format
        except (ValueError, BufferError):  # bfloat16, datetime64: numpy has them, the buffer protocol has not
            self.format = x.dtype.str
        self.view = memoryview(x.reshape(-1).view(numpy.uint8) if x.nbytes else numpy.empty(0, numpy.uint8))

    def _of_buffer(self, x: Any) -> None:
        try:
            self.view = memoryview(x)
        except (ValueError, BufferError) as e:
            raise Error(f"{type(x).__name__}: {e}") from None
        self.shape, self.format = self.view.shape, self.view.format
        # Without the names of a structure's fields.
        code = re.sub(":[^:]*:", "", self.format or "B")
        if "O" in code:
            raise Error(f"an array of format {self.format!r}: Python's objects, which a GPU has not")
        if self.view.itemsize > 1 and re.search("[>!]", code):
            raise Error(f"an array of format {self.format!r}: big-endian, and a GPU is not")
        if not self.view.c_contiguous:
            raise Error("an array whose elements do not lie one behind the other (bytes(x) copies it)")
        try:
            self.dtype = numpy.asarray(self.view).dtype
        except (TypeError, ValueError):
            self.dtype = numpy.dtype((numpy.void, self.view.itemsize))

    def _converted(self, x: Any) -> None:
        """What only numpy can read, as pandas's Series and PyTorch's tensors: results come back where numpy sees its memory."""
        try:
            array, again = numpy.asarray(x), numpy.asarray(x)
        except Exception as e:  # anything: it is the object's own code
            raise Error(f"{type(x).__name__}: no array ({e})") from None
        if isinstance(x, (list, tuple)) or not isinstance(array, numpy.ndarray):
            raise Error(f"{type(x).__name__} is neither a number nor an array")
        self._of_numpy(array)
        self.writable = array.nbytes == 0 or numpy.may_share_memory(array, again)


def _has_buffer(x: Any) -> bool:
    try:
        memoryview(x).release()
    except TypeError:
        return False
    except (ValueError, BufferError):
        return True
    return True


class Copies:
    """Arrays of one launch and their copies in the simulated memory. Arrays that share bytes share them there, too."""

    def __init__(self, memory: Any):
        self._memory = memory
        self._arrays: List[HostArray] = []
        self._names: List[str] = []
        self._at: List[int] = []
        self._blocks: List[int] = []

    def add(self, name: str, x: Any) -> int:
        """The number of the array, `name` in messages."""
        self._arrays.append(HostArray(x))
        self._names.append(name)
        return len(self._arrays) - 1

    def place(self) -> Sequence[int]:
        """Copies them; where each is."""
        self._at = [0] * len(self._arrays)
        order = sorted(range(len(self._arrays)), key=lambda i: (self._arrays[i].address, -self._arrays[i].nbytes))
        groups: List[List[int]] = []
        end = 0
        for i in order:
            a = self._arrays[i]
            if groups and a.nbytes and a.address < end:
                groups[-1].append(i)
            else:
                groups.append([i])
                end = 0
            end = max(end, a.address + a.nbytes)
        for group in groups:
            first = self._arrays[group[0]].address
            size = max(self._arrays[i].address + self._arrays[i].nbytes for i in group) - first
            self._blocks.append(self._memory.allocate(max(1, size)))
            for i in group:
                self._at[i] = self._blocks[-1] + self._arrays[i].address - first
                if self._arrays[i].nbytes:
                    self._memory.write(self._at[i], self._arrays[i].view)
        return self._at

    def bring_back(self, kernel: str) -> None:
        """Copies results to the arrays.

        Raises:
            Error: the kernel has changed one that cannot be written to.
        """
        for a, at in zip(self._arrays, self._at):
            if a.writable and a.nbytes:
                self._memory.read_into(at, a.view)
        lost = [name for a, at, name in zip(self._arrays, self._at, self._names)
                if not a.writable and a.view.tobytes() != self._memory.read(at, a.nbytes)]
        if lost:
            raise Error(f"{kernel} has changed {', '.join(lost)}: read-only, so what it stored there is lost (a numpy array of one's own, or "
                        "heddle.to_device(x), takes results)")

    def free(self) -> None:
        for at in self._blocks:
            self._memory.release(at)
        for a in self._arrays:
            a.view.release()
        self._blocks, self._arrays = [], []


__all__ = ["Copies", "HostArray"]
