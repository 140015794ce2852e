"""Exceptions. The C++ half raises these, too."""


class Error(Exception):
    """Anything that is wrong with what the user gave: one line that names the file or path and what is legal."""


class ConfigError(Error):
    """A configuration that cannot be found, built or changed so; names the field's path and the legal values."""


class ConfigNameError(ConfigError, AttributeError):
    """A field that there is not; names the nearest ones."""


class TraceError(Error):
    """A trace that cannot be found or read; names the file and the place in it.

    Attributes:
        results: Results of the launches finished before one of a run turned out to be damaged, or None.
    """
    results = None


class ResultsError(Error):
    """A database or table that cannot be read or written; names the file."""


class SimulationError(Error):
    """A launch that could not be simulated.

    Attributes:
        results: Results of the launches finished before it, or None.
    """
    results = None


class DeadlockError(SimulationError):
    """No warp of the launch can go on.

    Attributes:
        report: a line per stuck warp, at most 16: SM, block, warp, PC, instruction, what it waits for.
    """

    def __init__(self, message, report=()):
        super().__init__(message)
        self.report = list(report)


class CallError(Error):
    """A call of a host program's thread that decides (Workload.thread) has failed; raised where it was yielded.

    Attributes:
        error: CUDA's name, such as "cudaErrorMemoryAllocation".
    """

    def __init__(self, error, message):
        super().__init__(message)
        self.error = error

    def __reduce__(self):
        return CallError, (self.error, str(self))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run.

    Attributes:
        results: Results of the launches that were finished; they are in the run's database as well.
    """

    def __init__(self, message, results=None):
        super().__init__(message)
        self.results = results


class HeddleWarning(UserWarning):
    """Odd, but allowed: unknown opcodes, another compute capability, lines of a list that mean nothing."""
