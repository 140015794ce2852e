#!/usr/bin/python3
"""Executes notebooks without a browser, and says how long each took and how many pictures it has.

usage: analysis/notebooks/execute.py [--write] [NOTEBOOK ...]
  NOTEBOOK  all of this folder if none is given
  --write   keep the new outputs in the files, without what differs from run to run
"""
import argparse
import glob
import os
import resource
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_S = 600  # of a cell


def execute(path):
    """The executed notebook, the seconds it took, and the processor's seconds; raises nbclient's CellExecutionError with the
    cell and its error."""
    import nbclient
    import nbformat
    notebook = nbformat.read(path, as_version=4)
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    nbclient.NotebookClient(notebook, timeout=TIMEOUT_S, kernel_name="python3",
                            resources={"metadata": {"path": os.path.dirname(os.path.abspath(path))}}).execute()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return notebook, time.monotonic() - begin, used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime


def outputs(notebook):
    return [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]


def pictures(notebook):
    """Sizes in bytes of the pictures, as base64 text."""
    return [len(o.data["image/png"]) for o in outputs(notebook) if "image/png" in o.get("data", {})]


def tidy(notebook):
    """Leaves out what differs from run to run or from machine to machine."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    for i, c in enumerate(notebook.cells):
        c.id, c.metadata = f"cell-{i}", {}
    for c in notebook.cells:
        if c.cell_type == "code":  # the address of an object, behind a picture
            c.outputs = [o for o in c.outputs if not ("image/png" not in o.get("data", {}) and
                                                      " at 0x" in o.get("data", {}).get("text/plain", ""))]
    return notebook


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
    parser.add_argument("--write", action="store_true", help="keep the new outputs")
    options = parser.parse_args()
    try:
        import nbclient
        import nbformat
    except ImportError as e:
        sys.exit(f"execute.py: {e}; `tools/setup notebooks` installs it")
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [os.path.join(os.path.dirname(HERE), "python"), os.environ.get("PYTHONPATH")]))
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a warning about the debugger that nobody uses here
    failed = 0
    for path in options.notebooks or sorted(glob.glob(os.path.join(HERE, "*.ipynb"))):
        try:
            notebook, seconds, processor = execute(path)
        except (nbclient.exceptions.CellExecutionError, nbclient.exceptions.CellTimeoutError) as e:
            failed += 1
            print(f"{path}: {e}", file=sys.stderr)
            continue
        print(f"{os.path.basename(path)}: {seconds:.1f} s, {processor:.1f} s of processor time, "
              f"{len(pictures(notebook))} pictures, {sum(pictures(notebook)) / 1e3:.0f} KB", flush=True)
        if options.write:
            nbformat.write(tidy(notebook), path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
