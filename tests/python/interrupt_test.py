"""Ctrl-C: the running launch ends, finished ones stay, in memory and in the database."""
import os
import signal
import subprocess
import sys
import unittest

from tests.python.harness import PythonTest, environment, heddle

GEN_TRACE = os.path.join(os.getcwd(), "tools", "gen_trace")

RUN = """
import sys, heddle
def tell(p):
    if p.finished == 1 and p.cycle > 0:
        print("second", flush=True)
try:
    heddle.run(sys.argv[1], out=sys.argv[2], progress=tell, jobs=int(sys.argv[3]))
except heddle.Interrupted as e:
    assert isinstance(e, KeyboardInterrupt)
    print(str(e), list(e.results.launches.index), flush=True)
    sys.exit(3)
"""

STEP = """
import sys, heddle
s = heddle.Simulator("h200", heddle.load(sys.argv[1])[1])
try:
    print("second", flush=True)
    s.run()
except KeyboardInterrupt:
    before = s.cycle
    print(s.step(1000), before < s.cycle, s.finished, flush=True)
    sys.exit(3)
"""


HOST = """
import sys, heddle
w = heddle.Workload()
with w.repeat(30_000_000):
    w.compute(1)
try:
    heddle.run_host(w, progress=lambda us, ended: print("second", flush=True))
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(3)
"""


class Interrupt(PythonTest):
    def long(self):
        """A short launch, then one of minutes."""
        self.write("a/kernelslist.g", "kernel-1.heddle\nkernel-2.heddle\n")
        for number, blocks in ((1, 4), (2, 20_000)):
            subprocess.run([GEN_TRACE, self.path("a", f"kernel-{number}.heddle"), "--blocks", str(blocks)], check=True,
                           stdout=subprocess.DEVNULL)
        return self.path("a")

    def interrupted(self, script, *args):
        p = subprocess.Popen([sys.executable, "-c", script, *args], env=environment(), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        if p.stdout.readline() != "second\n":
            self.fail(p.communicate()[1])
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 3, err)
        return [x for x in out.splitlines() if x != "second"][-1]

    def test_finished_launches_are_kept(self):
        db = self.path("r.db")
        out = self.interrupted(RUN, self.long(), db, "1")
        self.assertEqual(out, "1 of 2 launches finished [('a', 1)]")
        stored = heddle.open(db)
        self.assertEqual(list(stored.launches.index), [("a", 1)])
        self.assertEqual(stored.info["launches_planned"], 2)

    def test_a_step_ends_between_quanta_and_can_go_on(self):
        self.assertEqual(self.interrupted(STEP, self.long()), "True True False")

    def test_a_host_program_stops(self):
        self.assertEqual(self.interrupted(HOST), "stopped")


if __name__ == "__main__":
    unittest.main()
