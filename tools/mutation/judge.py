"""Runs the tests on each mutant: only those test cases in which it made a difference, the quickest first."""

import os
import re
import resource
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BATCHES = (4, 24, 1 << 30, 1 << 30)  # test cases at a time; the program runs them in an order of its own
MEMORY = 6 << 30
# Test cases that take so many seconds try only what no more than a few cases see.
LONG, FEW = 2, 20
MINUTE = 60  # no mutant takes longer


class Case:
    def __init__(self, line):
        name, seconds, passed, reached, differs, nothing = line.rstrip("\n").split("\t")
        self.name, self.seconds, self.passed = name, float(seconds), passed == "1"
        self.reached, self.differs, self.nothing = ({int(n) for n in s.split()} for s in (reached, differs, nothing))


def cover(program, cache, root):
    """All tests without a mutant: what each case reaches. Cases that fail so are of no use and are named."""
    path = cache / "cover.tsv"
    path.unlink(missing_ok=True)
    with (cache / "cover.log").open("w") as log:
        env = _env(HEDDLE_MUTANTS_COVER=str(path))
        r = subprocess.run([program], cwd=root, env=env, stdout=log, stderr=log, check=False)
    if r.returncode < 0:  # then no case behind it has been run
        raise RuntimeError(f"the tests end by signal {-r.returncode} without a mutant: see {path.with_name('cover.log')}")
    lines = [Case(line) for line in path.read_text().splitlines()]
    return lines[0], [c for c in lines[1:] if c.passed], [c.name for c in lines[1:] if not c.passed]


def _env(**more):
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **more}


class Judge:
    def __init__(self, program, cache, root, before, cases):
        self.program, self.cache, self.root = program, cache, root
        self.before, self.cases = before, cases

    def cases_of(self, n):
        everywhere = n in self.before.differs  # what is computed once, in no case's time
        cases = sorted((c for c in self.cases if everywhere or n in c.differs), key=lambda c: c.seconds)
        return [c for c in cases if c.seconds < LONG] if len(cases) > FEW else cases

    def judge(self, n):
        """{verdict, by, tried, seconds}"""
        start = time.monotonic()
        cases, tried = self.cases_of(n), 0
        result = {"verdict": "survived", "by": "", "tried": 0}
        for size in BATCHES:
            # The long ones behind all others, which would wait for them.
            batch = [c for c in cases[:size] if c.seconds < LONG] or cases[:size]
            cases = cases[len(batch) :]
            left = MINUTE - (time.monotonic() - start)
            if not batch or left <= 1:
                break
            tried += len(batch)
            by = self._run(n, batch, left)
            if by == "":
                cases = batch + cases
                break
            if by is not None:
                result.update(verdict="killed", by=by)
                break
        if result["verdict"] == "survived":
            if n in self.nothing():
                result["verdict"] = "none"
            elif tried == 0:
                seen = n in self.before.reached or any(n in c.reached for c in self.cases)
                result["by"] = "makes no difference in any test" if seen else "reached by no test"
            elif cases:
                result["by"] = f"{len(cases)} of the tests not tried for time"
        result.update(tried=tried, seconds=round(time.monotonic() - start, 2))
        return result

    def nothing(self):
        out = set(self.before.nothing)
        for c in self.cases:
            out |= c.nothing
        return out

    def _run(self, n, batch, left):
        """The name of the case that fails, or how the program ended; None when all pass."""
        names = self.cache / f"cases-{n}.txt"
        # Catch takes these for parts of a pattern.
        names.write_text("".join(re.sub(r'([\\,\[\]"])', r"\\\1", c.name) + "\n" for c in batch))
        cpu = 3 + 10 * sum(c.seconds for c in batch)

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        try:
            r = subprocess.run(
                [self.program, "-a", "-f", str(names)], cwd=self.root, env=_env(HEDDLE_MUTANT=str(n)),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                timeout=min(left, 10 + 5 * cpu), preexec_fn=limits, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as e:
            if failed := re.search(rb"^\[failed\] (.*)$", e.stdout or b"", re.M):
                return failed[1].decode(errors="replace")
            # Waits for what does not come. Else the minute is over, because the machine has much else to do.
            return "(no end)" if left > 10 + 5 * cpu else ""
        finally:
            names.unlink(missing_ok=True)
        ran = re.search(r"^\[cases\] (\d+)$", r.stdout, re.M)
        if r.returncode == 0:
            if not ran or int(ran[1]) < len(batch):
                raise RuntimeError(f"mutant {n}: {len(batch)} cases asked for, ran {ran and ran[1]}")
            return None
        failed = re.search(r"^\[failed\] (.*)$", r.stdout, re.M)
        if failed:
            return failed[1]
        return "(no end)" if r.returncode in (-24, -9) else "(ended by a signal)"

    def all(self, numbers, jobs, tell):
        out = {}
        with ThreadPoolExecutor(jobs) as pool:
            for n, r in zip(numbers, pool.map(self.judge, numbers)):
                out[n] = r
                tell(n, r)
        return out


def settled(result, cases):
    """Whether a verdict of the last time is one of today: what has killed it is still there."""
    return result.get("verdict") == "none" or (
        result.get("verdict") == "killed" and (result["by"] in cases or result["by"].startswith("("))
    )


def program_of(cache):
    return str(Path(cache) / "tree" / "mutants")
