"""heddle config check --matter: which assumed values matter."""
import csv
import unittest

from tests.cli import harness


class ConfigCheck(harness.HeddleTest):
    def test_of_each_gpu_a_table_and_lines_of_a_file(self):
        self.capture("app", kernels=2)
        self.capture("other")
        shown = self.ok("config", "show", "h200").stdout.replace("kind: ASSUMED", "kind: MODEL")
        for name in ("one", "two"):
            self.write(name + ".textproto", shown.replace('"h200"', f'"{name}"', 1))
        args = ["config", "check", "one.textproto", "two.textproto", "--matter", "app", "--matter", "other", "--fidelity", "fast",
                "--set", "noc.request_latency=82", "--set", "noc.response_latency=80", "--set", "tlb.walkers=16"]
        p = self.ok(*args, "--most", "1", "--csv", "m.csv")
        self.assertRegex(p.stdout, r"^one.textproto: good: .*\ntwo.textproto: good: .*\n\none.textproto: 2 of 3 assumed numbers "
                                   r".* of 3 launches\n(.*\n){2}noc\.re\w+ +8\d +\d\.\d %\nthe largest change")
        self.assertRegex(p.stdout, r"\n\ntwo.textproto: 2 of 3 assumed numbers ")
        self.assertIn("heddle: 0 of 3 assumed numbers are decided, 3 simulations follow\n", p.stderr)
        quiet = self.ok(*args, "--most", "1", "--quiet", "--jobs", "3")
        self.assertEqual((quiet.stdout, quiet.stderr), (p.stdout, ""))
        with open(self.path("m.csv")) as f:
            rows = [(r["gpu"], r["value"], r["is"], float(r["change"]) > 0) for r in csv.DictReader(f)]
        for gpu in ("one", "two"):
            self.assertEqual(sorted(r[1:] for r in rows if r[0] == gpu), [
                ("noc.request_latency", "82", True), ("noc.response_latency", "80", True), ("tlb.walkers", "16", False)])

    def test_what_is_wrong_is_said_before_a_simulation(self):
        self.capture("app")
        self.fails("config", "check", "h200", "--most", "3", says=["--most", "--matter"])
        self.fails("config", "check", "h200", "--matter", "app", "--most", "0", says="--most")
        self.fails("config", "check", "h200", "--matter", "nowhere", says="nowhere")
        p = self.fails("config", "check", "h200", "--matter", "app", "--csv", "no/such/m.csv", says="no/such/m.csv")
        self.assertNotIn("simulations", p.stderr)
        self.fails("config", "check", "l4", "--matter", "app", says=["app/kernel-1.traceg", "--allow-capability-mismatch"])
        # Nobody simulates what is not good.
        p = self.fails("config", "check", "h200", "--set", "l2.ways=7", "--matter", "app", says="l2.ways")
        self.assertNotIn("simulations", p.stderr)


if __name__ == "__main__":
    unittest.main()
