"""heddle --help, completion, man, doctor: the command line for people and shells."""
import os
import re
import shutil
import subprocess
import unittest

from tests.cli import harness


class Shell(harness.HeddleTest):
    def complete(self, *words):
        """What bash offers for the last word."""
        self.write("heddle.bash", self.ok("completion", "bash").stdout)
        script = (". ./heddle.bash; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _heddle; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        p = subprocess.run(["bash", "-c", script, "bash", *words], cwd=self.dir, stdout=subprocess.PIPE, text=True,
                           check=True)
        return p.stdout.split()

    def test_help_fits_a_screen(self):
        lines = self.ok("--help").stdout.rstrip("\n").splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertTrue(any(line.startswith("  sweep ") for line in lines))

    def test_bash(self):
        commands = self.complete("heddle", "")
        for name in ("run", "sweep", "config", "doctor"):
            self.assertIn(name, commands)
        self.assertEqual(self.complete("heddle", "sw"), ["sweep"])
        self.assertEqual(self.complete("heddle", "config", "ch"), ["check"])
        self.assertEqual(self.complete("heddle", "config", "check", "--mat"), ["--matter"])
        self.assertEqual(self.complete("heddle", "run", "--fid"), ["--fidelity"])
        self.assertEqual(self.complete("heddle", "run", "--gpu", "h2"), ["h20", "h200"])
        self.assertEqual(self.complete("heddle", "run", "--set", "l2.wa"), ["l2.ways="])
        self.assertIn("sm.op[fp32].latency=", self.complete("heddle", "run", "--set", "sm.op[fp32].l"))
        self.assertEqual(self.complete("heddle", "validate", "--metric", "gpc__"), ["gpc__cycles_elapsed.max"])
        self.assertEqual(self.complete("heddle", "sweep", "best", "--par"), ["--pareto"])
        for command in ("show", "diff", "check"):
            self.assertIn("h200", self.complete("heddle", "config", command, "h2"))
        self.assertEqual(self.complete("heddle", "completion", "z"), ["zsh"])
        self.assertEqual(self.complete("heddle", "occupancy", "--carveout", ""), ["driver", "max"])
        self.assertEqual(sorted(self.complete("heddle", "occupancy", "--curve", "")), ["block", "regs", "smem"])
        self.assertNotIn("slurm-task", self.complete("heddle", "sweep", ""))

    def test_zsh_and_fish(self):
        for shell in ("zsh", "fish"):
            text = self.ok("completion", shell).stdout
            for word in ("h200", "l2.ways=", "gpc__cycles_elapsed.max", "--pareto" if shell == "zsh" else "-l pareto"):
                self.assertIn(word, text)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.write("script", text)], check=True)
        self.fails("completion", "tcsh", says="legal values: bash, zsh, fish")

    def test_fish_itself_completes(self):
        if not shutil.which("fish"):
            self.skipTest("no fish: `tools/setup shells` installs it")
        self.write("heddle.fish", self.ok("completion", "fish").stdout)

        def complete(line):
            p = subprocess.run(["fish", "--no-config", "-c", 'source heddle.fish; complete -C $argv[1]', line], cwd=self.dir,
                               stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "HOME": self.dir})
            return [x.split("\t")[0] for x in p.stdout.splitlines()]
        self.assertEqual(complete("heddle sw"), ["sweep"])
        self.assertEqual(complete("heddle config ch"), ["check"])
        self.assertEqual(complete("heddle run --gpu h2"), ["h20", "h200"])
        self.assertEqual(complete("heddle run --fid"), ["--fidelity"])
        self.assertEqual(complete("heddle run --set l2.wa"), ["l2.ways="])
        self.assertEqual(complete("heddle sweep best --par"), ["--pareto"])
        self.assertEqual(complete("heddle completion z"), ["zsh"])
        self.assertEqual(complete("heddle occupancy --carveout d"), ["driver"])
        self.assertIn("h200", complete("heddle config show h2"))

    def test_zsh_itself_completes(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh: `tools/setup shells` installs it")
        self.write("_heddle", self.ok("completion", "zsh").stdout)
        # What the function offers, before zsh takes those that fit what was typed.
        self.write("offer.zsh", "compdef() { :; }; _files() { :; }\n"
                   'compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }\n'
                   'source ./_heddle; words=("$@"); CURRENT=$#; _heddle\n')

        def offered(*words):
            p = subprocess.run(["zsh", "-f", "offer.zsh", *words], cwd=self.dir, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, check=True)
            return p.stdout.splitlines()
        self.assertIn("sweep", offered("heddle", "sw"))
        self.assertEqual(offered("heddle", "config", "ch"), ["list", "show", "diff", "check", "fit"])
        self.assertEqual(offered("heddle", "completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(offered("heddle", "occupancy", "--carveout", ""), ["driver", "max"])
        self.assertIn("h200", offered("heddle", "config", "show", ""))
        self.assertIn("h200", offered("heddle", "run", "--gpu", "h2"))
        self.assertIn("l2.ways=", offered("heddle", "run", "--set", "l2.wa"))
        self.assertIn("sm.op[fp32].latency=", offered("heddle", "run", "--set", "sm"))
        self.assertIn("--pareto", offered("heddle", "sweep", "best", "--par"))

    def test_man(self):
        text = self.ok("man").stdout
        self.assertTrue(text.startswith(".TH HEDDLE 1 "))
        for word in (".SS heddle sweep best", "\\fB\\-\\-gpu\\fR \\fI"):
            self.assertIn(word, text)
        if not shutil.which("groff"):
            self.skipTest("no groff to render the page")
        p = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-Wbreak", self.write("heddle.1", text)],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        plain = re.sub(".\b", "", p.stdout)  # bold and underlined by overstriking
        self.assertIn("   heddle sweep best\n", plain)
        self.assertRegex(plain, r"--dry-run, -n\n +only list the points")

    def test_doctor(self):
        p = self.heddle("doctor")
        self.assertRegex(p.stdout, r"GPU configurations +good +\d+ GPUs")
        self.assertEqual(p.returncode, 0 if "all that is needed is there" in p.stdout else 1, p.stdout)
        # With a dpkg-query that knows no package, everything of [build] is missing, and needed in a checkout only.
        self.write("bin/dpkg-query", "#!/bin/sh\n")
        os.chmod(self.path("bin/dpkg-query"), 0o755)
        none = {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        p = self.heddle("doctor", env=none)
        self.assertEqual(p.returncode, 0)
        self.assertRegex(p.stdout, r"packages: build +optional +missing: bazel-bootstrap build-essential")
        os.makedirs(self.path("tools"))
        self.write("tools/packages.txt", "")
        p = self.heddle("doctor", env=none)
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stdout, r"packages: build +missing +missing: bazel-bootstrap build-essential")
        self.assertIn("needed: apt-get install --no-install-recommends bazel-bootstrap build-essential", p.stdout)
        self.assertRegex(p.stdout, r"for the optional parts: apt-get .* slurm-wlm")
        # Configurations that are bad are named.
        os.makedirs(self.path("mine/gpus"))
        self.write("mine/gpus/bad.textproto", 'name: "bad"\nwayz: 1\n')
        p = self.heddle("doctor", env={**os.environ, "HEDDLE_CONFIGS": self.path("mine")})
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stdout, r"GPU configurations +bad .*bad.textproto:2")


if __name__ == "__main__":
    unittest.main()
