"""Kernels in PTX and in machine code, called as functions: executed while they are simulated, or only executed."""
from __future__ import annotations

import dataclasses
import inspect
import operator
import os
import struct
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from heddle._arrays import Copies, HostArray
from heddle._checks import integer
from heddle._native import native
from heddle.access import banks, coalesce
from heddle.errors import Error, HeddleWarning
from heddle.results import Results
from heddle.run import run
from heddle.trace import Launch

Size = Union[int, Sequence[int]]

_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_POINTERS = ("u64", "s64", "b64")  # types of parameters that an address may be of
_FREED, _FREED_TEXTURE = "an array whose memory was freed", "a texture whose memory was freed"
_memory = None


def _device():
    """The memory that all modules share."""
    global _memory
    if _memory is None:
        _memory = native.DeviceMemory()
    return _memory


def _dimensions(name: str, size: Size) -> Tuple[int, int, int]:
    try:
        values = [size] if hasattr(size, "__index__") and not getattr(size, "shape", ()) else [] if isinstance(size, (str, bytes)) else list(size)
    except TypeError:
        values = []
    if not 1 <= len(values) <= 3:
        raise Error(f"{name}={size!r}: one to three numbers")
    values = [integer(name, v, 1, 2**31 - 1) for v in values]
    return tuple(values + [1] * (3 - len(values)))


class DeviceArray:
    """An array in the simulated memory, until free() or the end of the process. to_device() makes one.

    Attributes:
        address: where it begins.
        nbytes, shape, format: as a memoryview's.
    """

    def __init__(self, x: Any):
        array = HostArray(x)
        self.nbytes, self.shape, self.format, self._dtype = array.nbytes, array.shape, array.format, array.dtype
        self.address = _device().allocate(max(1, array.nbytes))
        if array.nbytes:
            _device().write(self.address, array.view)

    def copy_to_host(self) -> numpy.ndarray:
        """What is there now.

        Returns:
            A numpy array of the same type and shape, in bytes `nbytes`.

        Raises:
            Error: its memory was given back.
        """
        if not self.address:
            raise Error(_FREED)
        return numpy.frombuffer(bytearray(_device().read(self.address, self.nbytes)), dtype=self._dtype).reshape(self.shape)

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
        array = HostArray(x)
        self.shape, self.format = array.shape, (array.format or "").lstrip("@=<")
        if self.format not in _ELEMENTS or not array.nbytes:
            raise Error(f"an array of format {array.format!r} and {array.nbytes} bytes (legal: integers of 8, 16 and 32 bits, f16, f32)")
        texts = [f"{name}={int(v) if isinstance(v, bool) else v}" for name, v in options.items() if v is not None]
        self._native = native.make_texture(_device(), is_surface, _ELEMENTS[self.format], list(self.shape), array.view, texts)
        self.handle = self._native.handle

    def copy_to_host(self) -> numpy.ndarray:
        """What is there now.

        Returns:
            A numpy array of the array's type and shape.

        Raises:
            Error: its memory was given back.
        """
        if not self.handle:
            raise Error(_FREED_TEXTURE)
        return numpy.frombuffer(bytearray(self._native.contents(_device())), dtype=self.format).reshape(self.shape)

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
            arguments: numbers, which take the parameter's type; arrays (what has the buffer protocol, and what numpy makes an array
                of without a copy), which are copied to the simulated memory before and back, in place, after the launch, those
                that share memory as one; DeviceArrays; Textures; the bytes of a structure. An array without an index is an
                array, except where the parameter is no address.
            shared: bytes of dynamic shared memory of a block.
            cluster: blocks of a cluster; None: the kernel's own.
            timed: False: only executed.
            threads: of the host. The time depends on them never; sums of floats by atomics do when timed is False.
            check: what else is an error: "race" (on shared memory), "sync" (barriers in diverged code).
            options: run()'s, gpu and profile among them; of launches that are timed.

        Returns:
            Results of one launch; Executed when it is not timed. What the kernel prints is printed. Kernels that it launches
            are executed behind it, and not timed, for which there is a HeddleWarning.

        Raises:
            Error: an argument is none, or something in the module cannot be executed yet; the kernel has changed an array that is
                read-only (others have their results then).
            TraceError: the kernel does something that it may not, or there is no time for an instruction of it yet.
        """
        legal = set(inspect.signature(run).parameters) - {"traces", "threads"}
        for name in options:
            if name not in legal:
                raise Error(f"{self._kernel.name}: no argument {name!r}; legal: shared, cluster, timed, threads, check, {', '.join(sorted(legal))}")
        if options and not timed:
            raise Error(f"{self._kernel.name}: {', '.join(options)}: of launches that are timed, and this is not (timed=False)")

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
        if cluster is not None:
            cluster = _dimensions("cluster", cluster)
        shared = integer("shared", shared, 0, 2**31)
        values: List[Any] = []
        copies, copied = Copies(_device()), {}
        for i, (x, (name, kind, size)) in enumerate(zip(arguments, parameters)):
            name = name or f"argument {i + 1}"
            if isinstance(x, (DeviceArray, Texture)):
                values.append(_address(x, name, kind))
            elif kind.endswith("bytes"):
                values.append(_structure(x, name, size))
            elif _is_number(x, kind):
                values.append(_bits(x, name, kind, size))
            else:
                copied[i] = copies.add(name, x)
                if kind not in _POINTERS:
                    raise Error(f"{type(x).__name__} for {name}, a parameter of type {kind}: an array is an address, of 8 bytes")
                values.append(None)
        try:
            at = copies.place()
            for i, number in copied.items():
                values[i] = at[number].to_bytes(8, "little")
            result = act(native.PtxArguments(self._kernel.name, self._grid, self._block, cluster, shared, values, "race" in check, "sync" in check))
            copies.bring_back(self._kernel.name)
        finally:
            copies.free()
        return result


def _address(x: Union[DeviceArray, Texture], name: str, kind: str) -> bytes:
    at = x.address if isinstance(x, DeviceArray) else x.handle
    if not at:
        raise Error(_FREED if isinstance(x, DeviceArray) else _FREED_TEXTURE)
    if kind not in _POINTERS:
        raise Error(f"{type(x).__name__} for {name}, a parameter of type {kind}: it takes 8 bytes")
    return at.to_bytes(8, "little")


def _is_number(x: Any, kind: str) -> bool:
    """Numbers of Python and numpy, and arrays without an index where no address can be meant: elsewhere they are arrays like others."""
    if isinstance(x, (int, float)):
        return True
    if isinstance(x, memoryview):
        return False
    if isinstance(x, numpy.generic):
        if x.dtype.kind not in "biuf":
            raise Error(f"{x!r} is neither a real number nor an array")
        return True
    if hasattr(x, "__array__"):
        return getattr(x, "shape", None) == () and kind not in _POINTERS
    return not getattr(x, "shape", ()) and (hasattr(x, "__index__") or hasattr(x, "__float__"))


def _structure(x: Any, name: str, size: int) -> bytes:
    """A parameter that is a structure: its bytes, of an array or of a numpy record."""
    found = None if isinstance(x, (int, float)) else HostArray(x)
    if found is None or found.nbytes != size:
        raise Error(f"{x!r} for {name}, a structure of {size} bytes: its bytes are expected (a numpy record, or bytes)")
    return found.view.tobytes()


def _bits(x: Any, name: str, kind: str, size: int) -> bytes:
    # Machine code does not say which of its parameters are floating-point numbers: there Python's type does.
    if kind in ("b32", "b64") and not hasattr(x, "__index__"):
        kind = {"b32": "f32", "b64": "f64"}[kind]
    if isinstance(x, numpy.ndarray):
        x = x[()]
    if kind in _FORMATS:
        try:
            return struct.pack(_FORMATS[kind], float(x))
        except (OverflowError, TypeError, ValueError):
            raise Error(f"{x!r} for {name}, a parameter of type {kind}: not a number that it can be") from None
    try:
        value = operator.index(int(x) if isinstance(x, numpy.bool_) else x)
    except TypeError:
        raise Error(f"{x!r} for a parameter of type {kind}") from None
    if not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
        raise Error(f"{value} does not fit into a parameter of type {kind}")
    return (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


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
        if not isinstance(texture, Texture):
            raise Error(f"{type(texture).__name__} is no texture; heddle.texture() and heddle.surface() make them")
        if not texture.handle:
            raise Error(_FREED_TEXTURE)
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
    text = os.fsdecode(text_or_path)
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
    return Module("", os.fsdecode(path))
