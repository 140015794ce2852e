"""The generated forms with what an H200 gave for them, and our executor's results beside it."""
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")


class FormsCase(unittest.TestCase):
    """Subclasses say in `cubins`, by its path from HERE, which archive of machine code lies in the folder."""
    cubins = ""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.results = os.path.join(cls.folder, "results.bin")
        with lzma.open(os.path.join(HERE, "h200", "results.bin.xz")) as x, open(cls.results, "wb") as f:
            f.write(x.read())
        with tarfile.open(os.path.join(HERE, cls.cubins)) as t:
            t.extractall(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def compared(self, folder, *kind):
        """What `compare` prints of the forms in the folder, of PTX or of another kind of code."""
        command = [os.path.join(HERE, "compare"), folder, self.results, *kind]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
