"""The bar of progress=True: a line on a terminal, a display in a notebook, nothing elsewhere."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional

_WIDTH = 30


def _line(p: Any, begun: float) -> str:
    filled = round(_WIDTH * p.share)
    seconds = time.monotonic() - begun
    left = f", {seconds * (1 - p.share) / p.share:.0f} s to go" if 0 < p.share < 1 and seconds > 2 else ""
    at = f" {p.running}" if p.running else ""
    return f"{'#' * filled}{'.' * (_WIDTH - filled)} {100 * p.share:3.0f} %, {p.finished} of {p.launches}, {seconds:.0f} s{left}{at}"


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    ip = shell.get_ipython() if shell else None
    return ip is not None and type(ip).__name__ == "ZMQInteractiveShell"


def reporter(progress: Any) -> Optional[Callable[[Any], None]]:
    """What is called with the state: the function given, a bar for True, None for None and False."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    begun = time.monotonic()
    if _in_notebook():
        from IPython.display import display
        handle = display({"text/plain": ""}, raw=True, display_id=True)
        return lambda p: handle.update({"text/plain": _line(p, begun)}, raw=True)
    if not sys.stderr.isatty():
        return lambda p: None
    length = [0]

    def write(p):
        text = _line(p, begun)[:100]
        sys.stderr.write("\r" + text.ljust(length[0]) + ("\n" if p.share >= 1 and p.finished == p.launches else ""))
        sys.stderr.flush()
        length[0] = len(text)
    return write
