"""Our executor gives what an H200 gives: of PTX but for the forms of differences.txt, of the machine code that ptxas made of it always."""
import os
import re
import unittest

from tests.exec.oracle import forms_case
from tests.exec.oracle.forms_case import HERE


class Compare(forms_case.FormsCase):
    cubins = os.path.join("h200", "forms.cubins.tar.xz")

    def test_machine_code(self):
        self.assertEqual(self.compared(self.folder, "cubin"), "2103 forms equal, 0 differ, 0 cannot be executed\n")

    def test_all_forms(self):
        printed = self.compared(self.folder)
        found = dict(m.group(1, 2) for m in re.finditer(r"(?m)^(?:differs|missing) \d+ (.*?) \| (.*)$", printed))
        with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as f:
            known = {line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")}
        self.assertEqual({t: found[t] for t in found if t not in known}, {}, "forms that should be equal")
        self.assertEqual(known - set(found), set(), "forms of differences.txt that are equal now: take them out")
        self.assertRegex(printed, r"\n\d{4} forms equal, \d+ differ, 0 cannot be executed\n$")


if __name__ == "__main__":
    unittest.main()
