"""What `heddle host --from-profile` reads: the workload of a profile, as text."""
import sys
import warnings

from heddle.errors import Error
from heddle.workload import Workload


def main(path: str) -> int:
    """Prints the workload, or why there is none.

    Args:
        path: of the profile.

    Returns:
        0; 2 when what is printed is why the file is no profile.
    """
    warnings.showwarning = lambda message, *rest, **more: print(f"heddle: warning: {path}: {message}", file=sys.stderr)
    warnings.simplefilter("always")
    try:
        text = Workload.from_profile(path).text()
    except Error as e:
        print(e)
        return 2
    sys.stdout.write(text)
    return 0
