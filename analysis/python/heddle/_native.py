"""Finds the C++ half of the package and the shipped configurations."""
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _checkout(path):
    return os.path.dirname(os.path.dirname(os.path.dirname(path)))


def _load():
    try:
        import _heddle
        return _heddle
    except ModuleNotFoundError:
        pass
    root = _checkout(os.path.realpath(_HERE))
    folder = os.path.join(root, "bazel-bin", "analysis", "python")
    file = os.path.join(folder, "_heddle" + importlib.machinery.EXTENSION_SUFFIXES[0])
    if not os.path.exists(file):
        built = [f for f in (os.listdir(folder) if os.path.isdir(folder) else []) if f.endswith(".so")]
        if built:
            raise ImportError(f"heddle is built for Debian's /usr/bin/python3 ({built[0]}); this is {sys.executable}, "
                              f"Python {sys.version.split()[0]}")
        raise ImportError(f"heddle is not built: run `bazel build //analysis/python` in {root}")
    spec = importlib.util.spec_from_file_location("_heddle", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["_heddle"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["_heddle"]
        raise
    return module


native = _load()

# Looked in after $HEDDLE_CONFIGS and before ./configs, as the command looks beside its own program.
CONFIGS = os.path.join(_checkout(_HERE), "configs")
if not os.path.isdir(CONFIGS):
    CONFIGS = os.path.join(_checkout(os.path.realpath(_HERE)), "configs")


def revision() -> str:
    """The revision of the source that the package was built from.

    Returns:
        Twelve hexadecimal digits, with "+changes" when there were uncommitted ones; "unknown" without git.
    """
    return native.revision()


def pandas():
    """The module pandas, or an Error that says how to get it."""
    try:
        import pandas as module
    except ImportError:
        from heddle.errors import Error
        raise Error("data frames need pandas: apt-get install python3-pandas") from None
    return module
