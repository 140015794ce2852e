"""What the commands write: nobody's other file is replaced, devices stay devices, nothing is left behind."""
import os
import resource
import signal
import stat
import subprocess
import unittest

from tests.cli import harness

WORKLOAD = """\
stream { name: "s" }
kernel { name: "k" grid { x: 4 } block { x: 32 } block_us: 5 }
thread {
  name: "main"
  call { launch { kernel: "k" stream: "s" } }
  call { stream_synchronize: "s" }
}
"""


class Outputs(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        self.capture("app")
        self.ok("run", "app", "--gpu", "h200", "--out", "r.db")
        self.write("s.textproto", 'trace: "app" gpu: "h200" axis { path: "l2.ways" value: "10" value: "20" }')
        self.write("ref.csv", "name,launch,cycles\napp,1,1000\n")
        self.write("w.workload.textproto", WORKLOAD)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def commands(self):
        """Every option that names a file to write, with a command that writes it."""
        self.ok("sweep", "s.textproto", "--out", "o.sweep", "-q")
        return {
            "report --html": ["report", "r.db", "--html"],
            "timeline -o": ["timeline", "r.db", "-o"],
            "host --timeline": ["host", "w.workload.textproto", "--gpu", "h200", "--timeline"],
            "host --dot": ["host", "w.workload.textproto", "--gpu", "h200", "--dot"],
            "validate --csv": ["validate", "--reference", "ref.csv", "--results", "r.db", "--csv"],
            "run --summary": ["run", "app", "--gpu", "h200", "--summary"],
            "occupancy --svg": ["occupancy", "--gpu", "h200", "--regs", "32", "--curve", "block", "--svg"],
            "config check --csv": ["config", "check", "h200", "--matter", "app", "--csv"],
            "coalesce --csv": ["coalesce", "app", "--csv"],
            "coalesce --svg": ["coalesce", "app", "--svg"],
            "sweep best --svg": ["sweep", "best", "o.sweep", "--pareto", "cycles,l2.ways", "--svg"],
            "sweep plot --svg": ["sweep", "plot", "o.sweep", "--x", "l2.ways", "--svg"],
            "import -o": ["import", "app", "-o"],
        }

    def test_one_rule_for_all(self):
        database = self.bytes_of("r.db")
        for what, command in self.commands().items():
            with self.subTest(what):
                # A new file, and the same again; import alone never replaces unasked.
                name = "new.heddle" if what == "import -o" else "new"
                self.ok(*command, name)
                os.chmod(self.path(name), 0o600)
                again = self.ok if what != "import -o" else self.fails
                again(*command, name)
                self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), 0o600)
                os.remove(self.path(name))
                # Another file is protected, and --force lifts that.
                target = "other.heddle" if what == "import -o" else "other.db"
                with open(self.path(target), "wb") as f:
                    f.write(database)
                self.fails(*command, target, says=[target, "--force"])
                self.assertEqual(self.bytes_of(target), database)
                self.ok(*command, target, "--force")
                self.assertNotEqual(self.bytes_of(target), database)
                os.remove(self.path(target))
                # Links stay links, and what they lead to is protected as well.
                with open(self.path("real.heddle"), "wb") as f:
                    f.write(database)
                os.symlink("real.heddle", self.path("link.heddle"))
                self.fails(*command, "link.heddle", says=["link.heddle", "--force"])
                self.ok(*command, "link.heddle", "--force")
                self.assertTrue(os.path.islink(self.path("link.heddle")))
                self.assertNotEqual(self.bytes_of("real.heddle"), database)
                os.remove(self.path("link.heddle"))
                # Folders, empty names.
                self.fails(*command, "", says="empty")
                if what != "import -o":
                    self.fails(*command, "app", says="app: cannot be written: is a directory")
                # Nothing is left of all that.
                self.assertFalse([f for f in os.listdir(self.dir) if f.endswith(".part")])

    def test_devices_and_pipes_are_written_into(self):
        os.mkfifo(self.path("pipe"))
        for what, command in self.commands().items():
            if what == "import -o":
                continue
            with self.subTest(what):
                reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
                try:
                    with subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE) as cat:
                        self.ok(*command, "pipe", "--force")
                        os.close(reader)
                        reader = -1
                        self.assertTrue(cat.communicate(timeout=30)[0])
                finally:
                    if reader >= 0:
                        os.close(reader)
                self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    @unittest.skipUnless(os.geteuid() == 0, "makes a device")
    def test_a_device_is_not_replaced(self):
        try:
            os.mknod(self.path("null"), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            with open(self.path("null"), "w"):
                pass
        except OSError as e:
            self.skipTest(f"no device can be made here: {e.strerror}")
        for what, command in self.commands().items():
            if what == "import -o":
                continue
            for force in ([], ["--force"]):
                with self.subTest(what, force=force):
                    self.ok(*command, "null", *force)
                    self.assertTrue(stat.S_ISCHR(os.stat(self.path("null")).st_mode))
        for force in ([], ["--force"], ["--append"]):
            self.fails("run", "app", "--gpu", "h200", "--out", "null", *force, says="null: is no regular file")

    def test_standard_output_is_a_place(self):
        # Some containers have no /dev/stdout, which is a link to the other.
        place = "/dev/stdout" if os.path.lexists("/dev/stdout") else "/proc/self/fd/1"
        with open(self.path("all"), "w") as f:
            subprocess.run([harness.HEDDLE, "timeline", "r.db", "-o", place], cwd=self.dir, stdout=f,
                           stderr=subprocess.DEVNULL, check=True)
        text = self.bytes_of("all")
        self.assertTrue(text.startswith(b'{"displayTimeUnit"'))
        self.assertTrue(text.endswith(b"open it at https://ui.perfetto.dev\n"))

    def test_the_captures_own_list_is_kept(self):
        os.makedirs(self.path("caps"))
        os.rename(self.path("app"), self.path("caps/app"))
        before = self.bytes_of("caps/app/kernelslist.g")
        self.fails("import", "caps", "-o", "caps", says=["kernelslist.g", "not a list of .heddle files", "--force"])
        self.assertEqual(self.bytes_of("caps/app/kernelslist.g"), before)
        self.assertFalse(os.path.exists(self.path("caps/app/kernel-1.heddle")))
        self.ok("import", "caps", "-o", "native")
        self.ok("import", "caps", "-o", "native", "--force")
        self.assertEqual(self.bytes_of("native/app/kernelslist.g"), b"kernel-1.heddle\n")

    def test_a_full_disk_leaves_nothing(self):
        before = sorted(os.listdir(self.dir))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # its signal is not ignored here

        for command in (["report", "r.db", "--html", "a.html"], ["timeline", "r.db", "-o", "a.json"],
                        ["import", "app", "-o", "a.heddle"], ["coalesce", "app", "--csv", "a.csv"],
                        ["run", "app", "--gpu", "h200", "--out", "a.db"]):
            with self.subTest(command[0]):
                p = self.heddle(*command, preexec_fn=limit)
                self.assertEqual(p.returncode, 1, p.stderr)
                self.assertRegex(p.stderr, r"(?m)^heddle: error: a\..*(File too large|disk I/O|full)")
                self.assertEqual(sorted(os.listdir(self.dir)), before)

    def test_help_on_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for option in ("--help", "--version"):
            with open("/dev/full", "w") as full:
                p = subprocess.run([harness.HEDDLE, option], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(p.returncode, 1)
            self.assertIn("standard output: No space left", p.stderr)

    def test_values_that_are_none(self):
        for option in ("--out", "--summary", "--fidelity", "--set"):
            with self.subTest(option):
                self.fails("run", "app", "--gpu", "h200", option, "", says=[option, "empty"])
        self.fails("run", "app", "--gpu", "", says=["--gpu", "empty"])
        self.fails("run", "", "--gpu", "h200", says=["PATH", "empty"])
        for value in ("0x10", "010", "MiB", "-1"):
            with self.subTest(value):
                self.fails("run", "app", "--gpu", "h200", "--l2-set-aside", value, says=["--l2-set-aside", "decimal"])
        for command in (["coalesce", "app", "--top"], ["coalesce", "app", "--kernel"], ["report", "r.db", "--run"],
                        ["run", "app", "--gpu", "h200", "--watchdog"], ["sweep", "s.textproto", "--slurm", "--chunk"],
                        ["occupancy", "--gpu", "h200", "--regs", "1", "--cluster"]):
            for value in ("-1", "0", "x"):
                with self.subTest(command=command, value=value):
                    p = self.fails(*command, value, says=["legal: a whole number, 1 or more"])
                    self.assertLess(len(p.stderr), 200)
        for value in ("-1", "nan", "inf", "1e300"):
            self.fails("sweep", "s.textproto", "--timeout", value, says=["--timeout", "legal: seconds, 0"])
        self.fails("sweep", "s.textproto", "--slurm", "--poll", "0", says="legal: seconds, 0.1 to 86400")
        self.fails("sweep", "best", "s.textproto", "--baseline", "-1", says="legal: a whole number, 0 or more")

    def test_what_is_no_file_to_read(self):
        self.fails("report", "app", says="app: is a directory")
        self.fails("report", "/dev/null", says="/dev/null: is a device (legal: a result database)")
        self.fails("report", "none.db", says="none.db: no such file")


class Copied(harness.HeddleTest):
    def test_a_program_without_its_configurations_says_what_to_do(self):
        with open(harness.HEDDLE, "rb") as f, open(self.path("copy"), "wb") as g:
            g.write(f.read())
        os.chmod(self.path("copy"), 0o755)
        self.capture("app")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("HEDDLE", "RUNFILES", "TEST_"))}
        p = subprocess.run([self.path("copy"), "run", "app", "--gpu", "h200"], cwd=self.dir, env=env, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        self.assertEqual(p.returncode, 1)
        self.assertIn("set HEDDLE_CONFIGS to a copy of Heddle's folder configs", p.stderr)
        p = subprocess.run([self.path("copy"), "doctor"], cwd=self.dir, env=env, stdout=subprocess.PIPE, text=True)
        self.assertEqual(p.returncode, 1)
        self.assertIn("HEDDLE_CONFIGS", p.stdout)


if __name__ == "__main__":
    unittest.main()
