"""What a .heddle file says of its launch: (number of the launch, kernel's mangled name, grid, block).

python3 trace_head.py PROGRAM/kernel-N.heddle...   a line for each: PROGRAM, N, and these
"""
import ctypes
import ctypes.util
import lzma
import os
import re
import struct
import sys


def zstd():
    for name in (os.environ.get("HEDDLE_ZSTD"), "libzstd.so.1", ctypes.util.find_library("zstd")):
        try:
            lib = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if lib:
            lib.ZSTD_decompress.restype = ctypes.c_size_t
            lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
            return lib
    raise OSError("no libzstd.so.1")


def fields(b):
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            c = b[at]
            at += 1
            v |= (c & 127) << shift
            shift += 7
            if c < 128:
                return v
    while at < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            n = varint()
            yield key >> 3, b[at:at + n]
            at += n
        else:
            raise ValueError("wire type %d" % (key & 7))


def unpacked(frame, size, path):
    """Of a section: a zstd frame, or LZMA2 with a window as long as what comes out (frontends/trace/README.md)."""
    if frame[:4] == b"\x28\xb5\x2f\xfd":
        out = ctypes.create_string_buffer(size)
        if zstd().ZSTD_decompress(out, size, frame, len(frame)) == size:
            return out.raw
    else:
        window = min(max(size, 4096), 64 << 20)
        out = lzma.decompress(frame, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": window}])
        if len(out) == size:
            return out
    raise ValueError(path + ": the HEAD section cannot be unpacked")


def head(path):
    with open(path, "rb") as f:
        f.read(16)
        kind, _, n, m = struct.unpack("<4sIQQ", f.read(24))
        if kind != b"HEAD":
            raise ValueError(path + ": no HEAD section")
        frame = f.read(n)
    kernel = next(v for k, v in fields(unpacked(frame, m, path)) if k == 1)
    number, name, shapes = 0, "", {4: (1, 1, 1), 5: (1, 1, 1)}
    for k, v in fields(kernel):
        if k == 1:
            name = v.decode(errors="replace")
        elif k == 2:
            number = v
        elif k in shapes:
            d = {1: 0, 2: 0, 3: 0}
            d.update(fields(v))
            shapes[k] = tuple(d[i] for i in (1, 2, 3))
    return number, name, shapes[4], shapes[5]


def main():
    for path in sys.argv[1:]:
        program = os.path.basename(os.path.dirname(path))
        print(program, re.search(r"kernel-(\d+)", path)[1], *head(path), sep="\t")


if __name__ == "__main__":
    main()
