"""What the package says of itself: documentation and stubs are complete, and those of the code."""
import dataclasses
import functools
import inspect
import os
import subprocess
import sys
import unittest

from tests.python.harness import PACKAGE, PythonTest, environment, heddle


def public():
    """(name, object) of every public function, class, method and property."""
    for name in heddle.__all__:
        value = getattr(heddle, name)
        yield name, value
        if inspect.isclass(value):
            # what the class is put together from, too
            members = {m: f for c in reversed(value.__mro__) if c is value or c.__module__.startswith("heddle._workload")
                       for m, f in vars(c).items()}
            for member, f in members.items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", f.__func__ if isinstance(f, classmethod) else f


class Api(PythonTest):
    def test_all_is_what_the_package_has(self):
        modules = {"access", "compare", "config", "errors", "host", "occupancy", "plot", "ptx", "results", "run", "simulator", "trace",
                   "workload"}
        names = {n for n in vars(heddle) if not n.startswith("_")}
        self.assertEqual(names - modules, set(heddle.__all__) - modules)
        self.assertEqual(sorted(heddle.__all__), heddle.__all__)

    def test_everything_public_is_documented(self):
        count = 0
        for name, value in public():
            with self.subTest(name):
                if isinstance(value, (property, functools.cached_property)):
                    self.assertGreater(len(value.__doc__ or ""), 15)
                elif inspect.isfunction(value):
                    self.function(value)
                    count += 1
                elif inspect.isclass(value):
                    self.assertGreater(len(value.__doc__), 15)
                    for field in dataclasses.fields(value) if dataclasses.is_dataclass(value) else ():
                        self.assertRegex(value.__doc__, rf"\b{field.name}\b")
        self.assertGreater(count, 35)

    def function(self, f):
        signature = inspect.signature(f)
        self.assertGreater(len(f.__doc__ or ""), 20)
        parameters = [p for p in signature.parameters if p not in ("self", "cls")]
        if parameters:
            self.assertIn("Args:", f.__doc__)
        for p in parameters:
            self.assertRegex(f.__doc__, rf"(?m)^ +([a-z_]+, )*{p}(, [a-z_]+)*: ")
        self.assertIsNot(signature.return_annotation, signature.empty, "the result has no type")
        if signature.return_annotation not in (None, "None"):
            self.assertIn("Returns:", f.__doc__)

    def test_constructors_are_documented(self):
        for c in (heddle.Config, heddle.Simulator, heddle.Workload):
            for p in list(inspect.signature(c).parameters):
                self.assertIn(f" {p}: ", c.__doc__)

    def test_frames_have_documented_columns(self):
        r = heddle.run(self.capture("a"))
        for column in r.launches.columns:
            self.assertIn(column, heddle.Results.launches.__doc__)
        r = heddle.run(self.capture("p"), profile=True)
        for column in r.instructions.columns:
            self.assertRegex(heddle.Results.instructions.__doc__, rf"\b{column}\b")
        banks, sectors = heddle.banks(self.capture("b")), heddle.coalesce(self.capture("c"))
        for frame, f in ((banks, heddle.banks), (sectors, heddle.coalesce)):
            for column in frame.columns:
                self.assertRegex(f.__doc__, rf"\b{column}\b")

    def test_stubs_are_those_of_the_code_and_of_the_schema(self):
        p = subprocess.run([sys.executable, os.path.join(PACKAGE, "make_stubs.py"), "--check"], env=environment(),
                           stderr=subprocess.PIPE, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_stubs_have_every_public_name(self):
        with open(os.path.join(PACKAGE, "heddle", "__init__.pyi")) as f:
            scope = {}
            exec(compile("from __future__ import annotations\n" + f.read(), f.name, "exec"), scope)
        for name, value in public():
            where = scope
            for part in name.split("."):
                self.assertTrue(part in where, name)
                inner = where[part]
                where = {**vars(inner), **inner.__dict__.get("__annotations__", {})} if inspect.isclass(inner) else {}
        for name in dir(heddle.Config()):
            self.assertTrue(name in scope["Config"].__annotations__ or name in vars(scope["Config"]), name)
        self.assertEqual(scope["_L2"].__annotations__["ways"], "int")
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "heddle", "py.typed")))

    def test_elsewhere_and_without_the_extension(self):
        p = subprocess.run([sys.executable, "-c", "import heddle; print(heddle.gpus())"], env=environment(), cwd="/",
                           stdout=subprocess.PIPE, text=True)
        self.assertIn("h200", p.stdout)
        self.write("analysis/python/heddle/__init__.py", "import heddle._native")
        with open(os.path.join(PACKAGE, "heddle", "_native.py")) as f:
            self.write("analysis/python/heddle/_native.py", f.read())
        p = subprocess.run([sys.executable, "-c", "import heddle"], cwd="/", stderr=subprocess.PIPE, text=True,
                           env={**os.environ, "PYTHONPATH": self.path("analysis/python")})
        self.assertIn(f"heddle is not built: run `bazel build //analysis/python` in {os.path.realpath(self.dir)}", p.stderr)


if __name__ == "__main__":
    unittest.main()
