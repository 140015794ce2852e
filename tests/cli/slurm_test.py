"""heddle sweep --slurm on a real Slurm of this machine: tools/cluster/local-slurm.

Where Slurm is not installed or does not start, the cases are skipped, with the reason.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from tests.cli import harness

LOCAL_SLURM = os.path.join(os.getcwd(), "tools", "cluster", "local-slurm")

# Each point of the app takes about a second; the other trace fails the same way each time.
SWEEP = """\
trace: "app"
trace: "stuck"
gpu: "h200"
axis { path: "l2.ways" value: "4" value: "5" value: "8" value: "10" value: "16" value: "20" }
"""

# In the first round, task 0 is killed in a run, and task 1 hangs with all its processes from its first run on until Slurm's
# time limit of a minute. Slurm then wakes what is stopped and ends it right after that, so how far the run still gets is for
# the journal to say.
SABOTAGE = r"""#!/bin/bash
#SBATCH --job-name={{name}}
#SBATCH --array={{array}}
#SBATCH --cpus-per-task={{cpus}}
#SBATCH --output={{log}}
#SBATCH --no-requeue
#SBATCH --time=1
me=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
stop() { # a process and what it has started
  kill -STOP $1
  for child in $(cat /proc/$1/task/$1/children); do stop $child; done
}
if [ $SLURM_ARRAY_TASK_ID -lt 2 ] && mkdir first-$SLURM_ARRAY_TASK_ID 2> /dev/null; then
  {{command}} &
  until mine=$(grep -ls "$me" s.sweep/journal/*.log) && grep -q ^start $mine; do sleep 0.02; done
  until kill -STOP $!; [ $(grep -c ^start $mine) -gt $(grep -cE '^(done|stopped|failed)' $mine) ]; do kill -CONT $!; sleep 0.02; done
  if [ $SLURM_ARRAY_TASK_ID = 0 ]; then
    kill -KILL $!
    wait $!
    exit
  fi
  stop $!
  sleep 600
fi
exec {{command}}
"""

# The job goes on when the test says so.
WAITS = """\
#!/bin/bash
#SBATCH --array={{array}}
#SBATCH --output={{log}}
until [ -e go ]; do sleep 0.1; done
exec {{command}}
"""


class Slurm(harness.HeddleTest):
    @classmethod
    def setUpClass(cls):
        cls.slurm = tempfile.mkdtemp(prefix="heddle-slurm-")
        p = subprocess.run([LOCAL_SLURM, "up", cls.slurm, str(os.cpu_count())], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if p.returncode != 0:
            shutil.rmtree(cls.slurm, ignore_errors=True)
            raise unittest.SkipTest("no Slurm here: " + p.stdout.strip())
        os.environ["SLURM_CONF"] = os.path.join(cls.slurm, "slurm.conf")

    @classmethod
    def tearDownClass(cls):
        subprocess.run([LOCAL_SLURM, "down", cls.slurm], stdin=subprocess.DEVNULL)
        shutil.rmtree(cls.slurm, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.capture("app", blocks=60000, warps=4)
        os.mkdir(self.path("stuck"))
        self.deadlock("stuck/kernel-1")
        self.write("stuck/kernelslist.g", "kernel-1.traceg\n")
        self.write("s.textproto", SWEEP)

    def lost(self, worker):
        """The launches of the runs that a task has begun and not ended, or was told to end, by its journal."""
        for name in glob.glob(self.path("s.sweep/journal/*.log")):
            with open(name) as f:
                events = [line.rstrip("\n").split("\t") for line in f]
            if events[0][2] == worker:
                ended = {e[1] for e in events[1:] if e[0] != "start" and e[2] != "terminated"}
                return [e[1].split(":")[-1] for e in events if e[0] == "start" and e[1] not in ended]
        raise AssertionError("no journal of " + worker)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def test_lost_tasks_are_named_and_done_again(self):
        self.write("sabotage.sbatch", SABOTAGE)
        p = self.heddle("sweep", "s.textproto", "--slurm", "--template", "sabotage.sbatch", "--chunk", "4",
                        "--poll", "0.5")
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertRegex(p.stderr, r"Slurm job \d+: 12 runs in 3 tasks")
        self.assertRegex(p.stderr, r"Slurm job \d+_0: FAILED, exit code 137; lost: point [01] h200 (app|stuck)/1\n")
        lost = self.lost(re.search(r"Slurm job (\d+): 12 runs", p.stderr)[1] + "_1")
        self.assertRegex(p.stderr, r"Slurm job \d+_1: TIMEOUT" +
                         (r"; lost: point [23] h200 " + lost[0] if lost else "") + "\n")
        self.assertRegex(p.stderr, r"Slurm job \d+: [1-8] runs in [12] tasks")
        self.assertRegex(p.stderr, r"\d of 12 runs done; Slurm job \d+: \d tasks running, \d waiting")
        self.assertIn("6 of 12 runs failed", p.stderr)
        self.assertRegex(p.stdout, r"point 5 h200 stuck/1 +deadlock +1 ")
        self.assertIn("6 done, 0 running, 0 to do, 6 failed", p.stdout)
        # The same as without Slurm.
        self.assertEqual(self.heddle("sweep", "s.textproto", "--out", "here", "-q").returncode, 1)
        self.assertEqual(self.bytes_of("s.sweep/results.db"), self.bytes_of("here/results.db"))
        # And nothing is left to submit.
        p = self.heddle("sweep", "s.textproto", "--slurm")
        self.assertNotIn("Slurm job", p.stderr)

    def test_submit_leave_and_come_back(self):
        self.write("waits.sbatch", WAITS)
        p = self.heddle("sweep", "s.textproto", "--slurm", "--no-watch", "--chunk", "12", "--template", "waits.sbatch")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertRegex(p.stderr, r"Slurm job (\d+): 12 runs in 1 tasks")
        # The second call watches the job of the first; Ctrl-C leaves it alone.
        q = subprocess.Popen([harness.HEDDLE, "sweep", "s.textproto", "--slurm", "--poll", "0.2"], cwd=self.dir,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not re.search(r"0 of 12 runs done; Slurm job \d+: 1 tasks running", line := q.stderr.readline()):
            self.assertTrue(line, "it ended")
        q.send_signal(signal.SIGINT)
        _, err = q.communicate(timeout=30)
        self.assertEqual(q.returncode, 130, err)
        self.assertIn("goes on; the same command watches it again", err)
        self.write("go", "")
        p = self.heddle("sweep", "s.textproto", "--slurm", "--poll", "0.2")
        self.assertIn("6 done, 0 running, 0 to do, 6 failed", p.stdout)
        self.assertEqual(os.listdir(self.path("s.sweep/slurm")), ["1"])  # one submission in all

    def test_a_job_that_does_nothing_is_an_error(self):
        self.write("bad.sbatch", "#!/bin/bash\n#SBATCH --array={{array}}\n#SBATCH --output={{log}}\nfalse # {{command}}\n")
        self.fails("sweep", "s.textproto", "--slurm", "--template", "bad.sbatch", "--poll", "0.2",
                   says=("ended without a run being tried (12 FAILED, exit code 1)", "s.sweep/slurm/1"))
        self.write("bad.sbatch", "#!/bin/bash\n#SBATCH --array={{array}}\n")
        self.fails("sweep", "s.textproto", "--slurm", "--template", "bad.sbatch", says="bad.sbatch: has no {{command}}")
        self.write("bad.sbatch", "#!/bin/bash\n{{commands}}\n")
        self.fails("sweep", "s.textproto", "--slurm", "--template", "bad.sbatch",
                   says="nothing is called {{commands}}; legal: array, command, cpus, log, name")
        self.write("bad.sbatch", "{{command}}\n")
        self.fails("sweep", "s.textproto", "--slurm", "--template", "bad.sbatch", says="sbatch")


# As sbatch reads its lines: words of a shell's kind, and in names of files %% for %.
FAKE_SBATCH = r"""#!/usr/bin/python3
import re, sys
with open(sys.argv[2]) as f:
    lines = f.read().splitlines()
print(lines, file=open("script", "w"))
def words(line):
    out, quote, escaped, word, begun = [], "", False, "", False
    for c in line:
        if escaped: word, escaped, begun = word + c, False, True
        elif c == "\\": escaped = True
        elif quote: quote, word = ("", word) if c == quote else (quote, word + c)
        elif c in "'\"": quote, begun = c, True
        elif c.isspace() or c == "#":
            if word or begun: out.append(word)
            word, begun = "", False
            if c == "#": return out
        else: word, begun = word + c, True
    return out + ([word] if word or begun else [])
with open("directives", "w") as f:
    for line in lines:
        if line.startswith("#SBATCH "):
            got = words(line[8:])
            if len(got) != 1: sys.exit("Invalid directive found in batch script: " + repr(got))
            print(got[0], file=f)
print("77")
"""


class Quoting(harness.HeddleTest):
    """What the batch script says, whatever the folder is called."""

    def setUp(self):
        super().setUp()
        self.capture("app")
        self.write("s.textproto", 'trace: "app" gpu: "h200"')
        for name, text in (("sbatch", FAKE_SBATCH), ("squeue", "#!/bin/sh\n"), ("scontrol", "#!/bin/sh\n")):
            os.chmod(self.write("bin/" + name, text), 0o755)
        self.env = {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def submit(self, folder):
        return self.heddle("sweep", "s.textproto", "--out", folder, "--slurm", "--no-watch", env=self.env)

    def test_names_that_need_quotes(self):
        for name in ("my results.sweep", "a'b", 'a"b', "a#b", "100%a", "$(touch PWNED)", "a;b", "\u00e4"):
            with self.subTest(name):
                p = self.submit(name)
                self.assertEqual(p.returncode, 0, p.stderr)
                with open(self.path("directives"), encoding="utf-8") as f:
                    options = dict(line.rstrip("\n").split("=", 1) for line in f if "=" in line)
                self.assertRegex(options["--job-name"], r"^[A-Za-z0-9._-]+$")
                self.assertEqual(options["--output"].replace("%%", "%"), self.path(name, "slurm", "1", "task-%a.log"))
                # The command is what a shell takes apart into the same names.
                with open(self.path(name, "slurm", "1", "job.sbatch"), encoding="utf-8") as f:
                    command = [line[5:] for line in f if line.startswith("exec ")][0]
                words = subprocess.run(["bash", "-c", "printf '%s\\0' " + command], stdout=subprocess.PIPE, text=True,
                                       check=True, cwd=self.dir).stdout.split("\0")
                self.assertEqual(words[1:4], ["sweep", "slurm-task", self.path(name)])
                self.assertEqual(words[4:6], ["--round", self.path(name, "slurm", "1")])
                self.assertFalse(os.path.exists(self.path("PWNED")))

    def test_names_that_no_script_can_hold(self):
        for name in ("o2\ntouch PWNED #.sweep", "a\tb", "a\\b"):
            with self.subTest(name):
                p = self.submit(name)
                self.assertEqual(p.returncode, 1)
                self.assertIn("a batch script of Slurm cannot name it", p.stderr)
                self.assertFalse(os.path.exists(self.path(name, "slurm", "1")))
                self.assertFalse(os.path.exists(self.path("script")))


class Ended(harness.HeddleTest):
    """A task that Slurm tells to end, and how it ended."""

    def setUp(self):
        super().setUp()
        self.capture("app", blocks=60000, warps=4)
        self.write("s.textproto", 'trace: "app" gpu: "h200"')
        shown = "#!/bin/sh\necho JobId=77 ArrayJobId=77 ArrayTaskId=0 JobState=TIMEOUT ExitCode=0:15\n"
        for name, text in (("sbatch", "#!/bin/sh\necho 77\n"), ("squeue", "#!/bin/sh\n"), ("scontrol", shown)):
            os.chmod(self.write("bin/" + name, text), 0o755)
        self.env = {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"], "SLURM_ARRAY_JOB_ID": "77"}

    def journals(self):
        text = ""
        for name in sorted(glob.glob(self.path("s.sweep/journal/*.log"))):
            with open(name) as f:
                text += f.read()
        return text

    def ended_in_a_run(self):
        """Starts the task and ends it; whether that was within its run."""
        p = subprocess.Popen([harness.HEDDLE, "sweep", "slurm-task", "s.sweep", "--round", self.path("s.sweep/slurm/1"),
                              "--task", "0", "--jobs", "1"], cwd=self.dir, env=self.env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        while not (workers := [w for c in self.children(p.pid) for w in self.children(c)]):
            self.assertIsNone(p.poll())
            time.sleep(0.001)
        os.kill(workers[0], signal.SIGSTOP)  # it gets no further, however long the signal takes
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(timeout=120), 143)
        return "\tterminated\t" in self.journals()

    def test_it_is_named_and_done_again(self):
        p = self.heddle("sweep", "s.textproto", "--slurm", "--no-watch", env=self.env)
        self.assertEqual(p.returncode, 0, p.stderr)
        # A run that was through before it could be stopped says nothing.
        self.assertTrue(any(self.ended_in_a_run() for _ in range(5)))
        self.assertIn("0 done, 0 running, 1 to do, 0 failed", self.ok("sweep", "status", "s.textproto").stdout)
        p = self.heddle("sweep", "s.textproto", "--slurm", "--no-watch", env=self.env)
        self.assertIn("Slurm job 77_0: TIMEOUT; lost: point 0 h200 app/1\n", p.stderr)
        self.assertIn("Slurm job 77: 1 runs in 1 tasks", p.stderr)
        self.assertRegex(self.journals(), r"\nexplain\t\S+:app/1\t\tSlurm job 77_0: TIMEOUT\n")


class Template(harness.HeddleTest):
    def test_it_is_printed(self):
        text = self.ok("sweep", "--print-template").stdout
        self.assertTrue(text.startswith("#!/bin/bash\n"))
        self.assertIn("{{command}}", text)


if __name__ == "__main__":
    unittest.main()
