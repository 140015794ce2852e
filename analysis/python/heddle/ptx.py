"""Kernels in PTX and in machine code, called as functions: executed while they are simulated, or only executed."""
from __future__ import annotations

import dataclasses
import os
import struct
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from heddle._checks import integer
from heddle._native import native
from heddle.access import banks, coalesce
from heddle.errors import Error, HeddleWarning
from heddle.results import Results
from heddle.run import run
from heddle.trace import Launch

Size = Union[int, Sequence[int]]

_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_memory = None


def _device():
    """The memory that all modules share."""
    global _memory
    if _memory is None:
        _memory = native.DeviceMemory()
    return _memory


def _dimensions(name: str, size: Size) -> Tuple[int, int, int]:
    values = [size] if isinstance(size, int) else list(size)
    if not 1 <= len(values) <= 3:
        raise Error(f"{name}={size!r}: one to three numbers")
    values = [integer(name, v, 1, 2**31 - 1) for v in values]
    return tuple(values + [1] * (3 - len(values)))


def _bytes_of(x: Any) -> memoryview:
    try:
        view = memoryview(x)
    except TypeError:
        raise Error(f"{type(x).__name__} is neither a number nor an array (what has the buffer protocol, as numpy's arrays)") from None
    if not view.c_contiguous:
        raise Error("an array whose elements do not lie one behind the other (numpy.ascontiguousarray copies it)")
    return view


class DeviceArray:
    """An array in the simulated memory, until free() or the end of the process. to_device() makes one.

    Attributes:
        address: where it begins.
        nbytes, shape, format: as a memoryview's.
    """

    def __init__(self, x: Any):
        view = _bytes_of(x)
        self.nbytes, self.shape, self.format = view.nbytes, view.shape, view.format
        self.address = _device().allocate(max(1, view.nbytes))
        if view.nbytes:
            _device().write(self.address, view)

    def copy_to_host(self) -> Any:
        """What is there now.

        Returns:
            A numpy array where numpy is installed, else a memoryview; of the same type and shape, in bytes `nbytes`.
        """
        data = _device().read(self.address, self.nbytes)
        try:
            import numpy
        except ImportError:
            return memoryview(bytearray(data)).cast(self.format, self.shape) if self.nbytes else memoryview(b"")
        return numpy.frombuffer(bytearray(data), dtype=self.format).reshape(self.shape)

    def free(self) -> None:
        """Gives its memory back; to use it afterwards is an error."""
        if self.address:
            _device().release(self.address)
        self.address = 0


def to_device(x: Any) -> DeviceArray:
    """Copies an array to the simulated memory and keeps it there; kernels take it as an argument.

    Args:
        x: what has the buffer protocol, as numpy's arrays; its elements one behind the other.

    Returns:
        A DeviceArray.
    """
    return DeviceArray(x)


_ELEMENTS = {"B": "|u1", "b": "|i1", "H": "<u2", "h": "<i2", "I": "<u4", "i": "<i4", "e": "<f2", "f": "<f4"}


class Texture:
    """A texture or surface object in the simulated memory, until free() or the end of the process. texture() and surface()
    make one; kernels take it as an argument.

    Attributes:
        handle: what the kernel gets.
        shape, format: as a memoryview's.
    """

    def __init__(self, x: Any, is_surface: bool, options: Dict[str, Any]):
        view = _bytes_of(x)
        if view.format not in _ELEMENTS or not view.nbytes:
            raise Error(f"an array of format {view.format!r} and {view.nbytes} bytes (legal: integers of 8, 16 and 32 bits, f16, f32)")
        self.shape, self.format = view.shape, view.format
        texts = [f"{name}={int(v) if isinstance(v, bool) else v}" for name, v in options.items() if v is not None]
        self._native = native.make_texture(_device(), is_surface, _ELEMENTS[view.format], list(view.shape), view, texts)
        self.handle = self._native.handle

    def copy_to_host(self) -> Any:
        """What is there now.

        Returns:
            A numpy array where numpy is installed, else a memoryview; of the array's type and shape.
        """
        data = self._native.contents(_device())
        try:
            import numpy
        except ImportError:
            return memoryview(bytearray(data)).cast(self.format, self.shape)
        return numpy.frombuffer(bytearray(data), dtype=self.format).reshape(self.shape)

    def free(self) -> None:
        """Gives its memory back; to use it afterwards is an error."""
        if self.handle:
            _device().release(self._native.data)
            _device().release(self.handle)
        self.handle = 0


def texture(x: Any, dims: Optional[str] = None, channels: int = 1, memory: str = "array", address: str = "clamp",
            filter: str = "point", normalized: bool = False, read: str = "element", border: float = 0.0) -> Texture:
    """A texture object over a copy of an array, for kernels that take a cudaTextureObject_t.

    Args:
        x: what has the buffer protocol, as numpy's arrays, of integers of 8, 16 or 32 bits, f16 or f32; its last index counts x,
            the one before y, the one before z or the layer.
        dims: "1d", "2d", "3d", "a1d" and "a2d" (layered), "cube", "acube"; None: 1d, 2d or 3d, as x has indices.
        channels: 2 or 4: the last index of x counts them.
        memory: "array", "linear" (1d: for tex1Dfetch), "pitch" (2d).
        address: "wrap", "clamp", "mirror" or "border", in all dimensions.
        filter: "point" or "linear".
        normalized: coordinates run from 0 to 1.
        read: "element", or "float": 8 and 16-bit integers as fractions of one.
        border: the colour of what is outside, in all channels.

    Returns:
        A Texture.

    Raises:
        Error: the array or an option is none of these, or they do not go together.
    """
    return Texture(x, False, {"dims": dims, "channels": channels, "memory": memory, "address": address, "filter": filter,
                              "normalized": normalized, "read": read, "border": border})


def surface(x: Any, dims: Optional[str] = None, channels: int = 1) -> Texture:
    """A surface object over a copy of an array, for kernels that take a cudaSurfaceObject_t; copy_to_host() gives what they
    stored.

    Args:
        x: as texture() takes it.
        dims: "1d", "2d", "3d", "a1d", "a2d"; None: as x has indices.
        channels: 2 or 4: the last index of x counts them.

    Returns:
        A Texture.

    Raises:
        Error: the array or an option is none of these.
    """
    return Texture(x, True, {"dims": dims, "channels": channels})


@dataclasses.dataclass(frozen=True)
class Executed:
    """What a launch with timed=False did.

    Attributes:
        warp_instructions, thread_instructions: of PTX; the latter with a guard that holds.
        output: what printf printed.
    """
    warp_instructions: int
    thread_instructions: int
    output: str


class _Configured:
    def __init__(self, kernel: "Kernel", grid: Size, block: Size):
        self._kernel, self._grid, self._block = kernel, _dimensions("grid", grid), _dimensions("block", block)

    def __call__(self, *arguments: Any, shared: int = 0, cluster: Optional[Size] = None, timed: bool = True,
                 threads: int = 1, check: Sequence[str] = (), **options: Any) -> Union[Results, Executed]:
        """Launches it.

        Args:
            arguments: numbers, which take the parameter's type; arrays, which are copied to the simulated memory before and
                back, in place, after the launch (unless they are read-only); DeviceArrays; Textures.
            shared: bytes of dynamic shared memory of a block.
            cluster: blocks of a cluster; None: the kernel's own.
            timed: False: only executed.
            threads: of the host. The time depends on them never; sums of floats by atomics do when timed is False.
            check: what else is an error: "race" (on shared memory), "sync" (barriers in diverged code).
            options: run()'s, gpu and profile among them.

        Returns:
            Results of one launch; Executed when it is not timed. What the kernel prints is printed. Kernels that it launches
            are executed behind it, and not timed, for which there is a HeddleWarning.

        Raises:
            Error: an argument is none, or something in the module cannot be executed yet.
            TraceError: the kernel does something that it may not, or there is no time for an instruction of it yet.
        """
        def launch(how):
            if timed:
                result = run(Launch(native.ptx_launch(self._kernel.module._native, how)), threads=threads, **options)
                nested, output = native.ptx_execute_nested(self._kernel.module._native, how, integer("threads", threads, 1, 1024))
                if nested:
                    warnings.warn(f"{self._kernel.name} has launched kernels: {nested} were executed, not timed",
                                  HeddleWarning, stacklevel=4)
                print(how.printed + output, end="")
                return result
            result = Executed(*native.ptx_execute(self._kernel.module._native, how, integer("threads", threads, 1, 1024)))
            print(result.output, end="")
            return result
        return self._with(arguments, shared, cluster, check, launch)

    def banks(self, *arguments: Any, shared: int = 0, cluster: Optional[Size] = None):
        """Bank conflicts by instruction of a launch that is executed and not simulated: heddle.banks() of it."""
        return self._with(arguments, shared, cluster, (), lambda how: banks(Launch(native.ptx_launch(self._kernel.module._native, how))))

    def coalesce(self, *arguments: Any, shared: int = 0, cluster: Optional[Size] = None):
        """Sectors by instruction of a launch that is executed and not simulated: heddle.coalesce() of it."""
        return self._with(arguments, shared, cluster, (), lambda how: coalesce(Launch(native.ptx_launch(self._kernel.module._native, how))))

    def _with(self, arguments: Sequence[Any], shared: int, cluster: Optional[Size], check: Sequence[str],
              act: Callable[[Any], Any]) -> Any:
        parameters = self._kernel.parameters
        if len(arguments) != len(parameters):
            raise Error(f"{self._kernel.name} takes {len(parameters)} arguments, not {len(arguments)}")
        for name in (check,) if isinstance(check, str) else check:
            if name not in ("race", "sync"):
                raise Error(f"check={name!r}; legal values: race, sync")
        values, copied = [], []
        for x, (_, kind, size) in zip(arguments, parameters):
            if isinstance(x, DeviceArray):
                if not x.address:
                    raise Error("an array whose memory was freed")
                values.append(x.address)
            elif isinstance(x, Texture):
                if not x.handle:
                    raise Error("a texture whose memory was freed")
                values.append(x.handle)
            elif _is_number(x):
                values.append(_bits(x, kind, size))
            else:
                there = DeviceArray(x)
                copied.append((x, there))
                values.append(there.address)
        try:
            how = native.PtxArguments(self._kernel.name, self._grid, self._block,
                                      _dimensions("cluster", cluster) if cluster is not None else None,
                                      integer("shared", shared, 0, 2**31), values, "race" in check, "sync" in check)
            result = act(how)
            for x, there in copied:
                view = memoryview(x)
                if not view.readonly and view.nbytes:
                    view.cast("B")[:] = _device().read(there.address, there.nbytes)
        finally:
            for _, there in copied:
                there.free()
        return result


def _is_number(x: Any) -> bool:
    # numpy's arrays have __index__ and __float__ too, for those of one element.
    return isinstance(x, (int, float)) or (not getattr(x, "shape", ()) and (hasattr(x, "__index__") or hasattr(x, "__float__")))


def _bits(x: Any, kind: str, size: int) -> int:
    # Machine code does not say which of its parameters are floating-point numbers: there Python's type does.
    if kind in ("b32", "b64") and not hasattr(x, "__index__"):
        kind = {"b32": "f32", "b64": "f64"}[kind]
    if kind in _FORMATS:
        return int.from_bytes(struct.pack(_FORMATS[kind], float(x)), "little")
    if isinstance(x, float):
        raise Error(f"{x!r} for a parameter of type {kind}")
    value = int(x)
    if not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
        raise Error(f"{value} does not fit into a parameter of type {kind}")
    return value & ((1 << (8 * size)) - 1)


class Kernel:
    """A kernel of a module: kernel[grid, block](arguments).

    Attributes:
        name: as the module has it; `readable` with C++'s names.
        parameters: (name, type, bytes) of each.
    """

    def __init__(self, module: "Module", name: str, readable: str, parameters: List[Tuple[str, str, int]]):
        self.module, self.name, self.readable, self.parameters = module, name, readable, parameters

    def __getitem__(self, size: Tuple[Size, Size]) -> _Configured:
        if not isinstance(size, tuple) or len(size) != 2:
            raise Error(f"{self.name}[{size!r}]: kernel[grid, block]")
        return _Configured(self, *size)

    def __repr__(self) -> str:
        return f"<kernel {self.readable}>"


class Module:
    """A module; its kernels are attributes, by their names, or by their names in C++ where one only has it. load_ptx() and
    load_cubin() make one.

    Attributes:
        kernels: by name.
    """

    def __init__(self, text: str, path: str):
        self._kind = "PTX" if text or path.endswith(".ptx") else "machine code"
        self._native = native.PtxModule(text, path, _device())
        self.kernels: Dict[str, Kernel] = {k[0]: Kernel(self, *k) for k in self._native.kernels()}

    def __getattr__(self, name: str) -> Kernel:
        kernels = self.__dict__.get("kernels", {})
        if name in kernels:
            return kernels[name]
        found = [k for k in kernels.values() if k.readable.split("(")[0].split("<")[0].split(" ")[-1] == name]
        if len(found) == 1:
            return found[0]
        raise AttributeError(f"the module has {'no kernel' if not found else 'several kernels'} {name} (there are: {', '.join(kernels)})")

    def bind(self, name: str, texture: Texture) -> None:
        """Makes a variable of the module (.texref, .surfref; C's texture references) mean a texture or surface.

        Args:
            name: of the variable.
            texture: what texture() or surface() has made.

        Raises:
            Error: the module has no such variable.
        """
        if not texture.handle:
            raise Error("a texture whose memory was freed")
        _device().write(self._native.address_of(name), _device().read(texture.handle, native.DESCRIPTOR_BYTES))

    def __repr__(self) -> str:
        return f"<module in {self._kind}: {', '.join(k.readable for k in self.kernels.values())}>"


def load_ptx(text_or_path: Union[str, os.PathLike]) -> Module:
    """A module from its text or its file.

        mod = heddle.load_ptx("saxpy.ptx")
        r = mod.saxpy[4, 256](1000, 2.0, x, y)     # numpy arrays; y has the result
        r.launches[["kernel", "cycles"]]

    The time is that of machine code that is guessed: traces/h200/PTX.md says how near it is.

    Args:
        text_or_path: text, which has a .version or several lines, or the path of a file.

    Returns:
        A Module.

    Raises:
        Error: the file cannot be read, or is no PTX; names file, line and column.
    """
    text = os.fspath(text_or_path)
    return Module(text, "") if "\n" in text or ".version" in text else Module("", text)


def load_cubin(path: Union[str, os.PathLike]) -> Module:
    """A module in machine code from a file: what nvcc -cubin or -fatbin, Triton or NVRTC made, or a program or library with
    kernels in it.

        mod = heddle.load_cubin("saxpy.cubin")     # nvcc -cubin -arch=sm_90 saxpy.cu
        r = mod.saxpy[4, 256](1000, 2.0, x, y)

    The time is that of the code itself, as of a recording. Of a file for several GPUs the newest code up to compute capability
    9.0 is taken, and its PTX where there is none. Machine code does not say which parameters are floating-point numbers: 2.0 is
    one of 4 or 8 bytes, 2 is a whole number.

    Args:
        path: of the file.

    Returns:
        A Module.

    Raises:
        Error: the file cannot be read or is damaged; names the file and the byte.
    """
    return Module("", os.fspath(path))
