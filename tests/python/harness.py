"""The package heddle on small traces that the tests write.

Bazel's module path has a folder `heddle` of its own, the workspace: the package's folder is put before it.
"""
import os
import sys

PACKAGE = os.path.join(os.getcwd(), "analysis", "python")
sys.path.insert(0, PACKAGE)

import heddle  # noqa: E402
from tests.cli import harness  # noqa: E402

TRACES = os.path.join(os.getcwd(), "traces", "h200")
WARP_INSTRUCTIONS = harness.WARP_INSTRUCTIONS  # of a warp of a small trace


class PythonTest(harness.HeddleTest):
    def raises(self, error, says, f, *args, **kwargs):
        """`f` raises an `error`, exactly that, whose message contains `says`."""
        with self.assertRaises(error) as caught:
            f(*args, **kwargs)
        self.assertIs(type(caught.exception), error)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, str(caught.exception))
        return caught.exception


def environment():
    """For other Python processes: they find the package, and only that."""
    return {**os.environ, "PYTHONPATH": PACKAGE}


__all__ = ["PACKAGE", "PythonTest", "TRACES", "WARP_INSTRUCTIONS", "environment", "heddle"]
