"""Machine code of Blackwell gives what an H200 gives for the same PTX: nobody has asked a GPU of its own."""
import os
import re
import shutil
import unittest

from tests.exec.oracle import forms_case

WGMMA = 263  # forms that only an sm_90a has


class Forms(forms_case.FormsCase):
    cubins = os.path.join("blackwell", "forms.cubins.tar.xz")

    def different(self, target, equal):
        """Forms that give something else; all others but those of warp groups are equal."""
        folder = os.path.join(self.folder, target + "-O1")
        for name in ("manifest.txt", "operands.bin"):
            shutil.copy(os.path.join(self.folder, name), folder)
        printed = self.compared(folder, "cubin")
        missing = re.findall(r"(?m)^missing \d+ (\S+) .*?(?: \| )(.*)$", printed)
        self.assertEqual(len(missing), WGMMA)
        self.assertEqual({m for m in missing if not m[0].startswith("wgmma.") or "no kernel" not in m[1]}, set())
        differ = re.findall(r"(?m)^differs \d+ (.*?) \| ", printed)
        self.assertIn(f"{equal} forms equal, {len(differ)} differ, {WGMMA} cannot be executed\n", printed)
        return differ

    def test_sm_100a(self):
        self.assertEqual(self.different("sm_100a", 1840), [])

    def test_sm_120a(self):
        # An instruction of its own multiplies floats of 8 bits there; up to 10.x they are multiplied as halves.
        differ = self.different("sm_120a", 1816)
        self.assertEqual(len(differ), 24)
        for form in differ:
            self.assertRegex(form, r"^mma\..*\.e[45]m[23]\.e[45]m[23]\.")


if __name__ == "__main__":
    unittest.main()
