"""The heddle program on the shipped traces: where they are, how to run it, what to expect of an error."""
import csv
import ctypes
import ctypes.util
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = os.getcwd()
HEDDLE = os.path.join(ROOT, "tools", "heddle")
TRACES = os.path.join(ROOT, "traces", "h200")
SUITE = os.path.join(TRACES, "suite.csv")


def measured():
    """The silicon's rows by kernel name; empty cells are left out."""
    with open(SUITE, newline="") as f:
        return {r["name"]: {k: v for k, v in r.items() if v != ""} for r in csv.DictReader(f)}


def rows(db, sql):
    c = sqlite3.connect(db)
    try:
        return c.execute(sql).fetchall()
    finally:
        c.close()


def dump(db):
    """Everything in a database but what depends on the host."""
    tables = [t for (t,) in rows(db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {t: rows(db, f"SELECT * FROM {t}") for t in tables if t != "host_timing"}


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def unzstd(path):
    """The text of a .zst file, in pieces. Python 3.11 has no zstd; the library is there, since heddle links it."""
    lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    lib.ZSTD_createDStream.restype = ctypes.c_void_p
    lib.ZSTD_freeDStream.argtypes = [ctypes.c_void_p]
    lib.ZSTD_decompressStream.restype = ctypes.c_size_t
    lib.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Buffer), ctypes.POINTER(_Buffer)]
    lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
    with open(path, "rb") as f:
        packed = f.read()
    source = ctypes.create_string_buffer(packed, len(packed))
    piece = ctypes.create_string_buffer(1 << 22)
    read = _Buffer(ctypes.addressof(source), len(packed), 0)
    stream = lib.ZSTD_createDStream()
    try:
        while True:
            written = _Buffer(ctypes.addressof(piece), len(piece), 0)
            status = lib.ZSTD_decompressStream(stream, ctypes.byref(written), ctypes.byref(read))
            if lib.ZSTD_isError(status):
                raise ValueError(f"{path}: cannot decompress")
            yield piece.raw[:written.pos]
            if status == 0 or (read.pos == read.size and written.pos < written.size):
                return
    finally:
        lib.ZSTD_freeDStream(stream)


class HeddleTest(unittest.TestCase):
    """Each test has a directory of its own, in which its commands run."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="heddle-e2e-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def heddle(self, *args):
        return subprocess.run([HEDDLE, *map(str, args)], cwd=self.dir, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ok(self, *args):
        p = self.heddle(*args)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p

    def fails(self, *args, says):
        """Exit status 1, and one line of error, which contains each of `says`."""
        p = self.heddle(*args)
        self.assertEqual(p.returncode, 1, p.stdout + p.stderr)
        errors = [line for line in p.stderr.splitlines() if "error" in line]
        self.assertEqual(len(errors), 1, p.stderr)
        self.assertTrue(errors[0].startswith("heddle: error: "), errors[0])
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, errors[0])
        return p

    def query(self, db, sql):
        return rows(self.path(db), sql)
