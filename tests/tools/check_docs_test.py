#!/usr/bin/env python3
"""Plants a dead link and a forgotten page, and expects tools/check_docs.py to find them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_docs.py"


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "README.md").write_text("[docs](docs/README.md) [web](https://example.org/x) `[a](b)`\n")
        (self.root / "docs/README.md").write_text("[a](a.md#part) [up](../README.md)\n")
        (self.root / "docs/a.md").write_text(
            "# part\n# A part: `run --x`\n[1](#part) [2](#a-part-run---x)\n```\n[code](nowhere)\n```\n"
        )

    def run_script(self):
        return subprocess.run([sys.executable, SCRIPT, self.root], capture_output=True, text=True, check=False)

    def test_whole_docs_pass(self):
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_dead_link_is_found(self):
        (self.root / "README.md").write_text("[docs](docs/README.md)\n![picture](docs/none.png)\n")
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (1, "README.md: docs/none.png: there is no such file\n"))

    def test_dead_anchor_is_found(self):
        (self.root / "README.md").write_text("[docs](docs/README.md) [a](docs/a.md#parts)\n")
        result = self.run_script()
        fault = "README.md: docs/a.md#parts: there is no such heading\n"
        self.assertEqual((result.returncode, result.stdout), (1, fault))

    def test_forgotten_page_is_found(self):
        (self.root / "docs/b.md").write_text("# b\n")
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (1, "docs/README.md: does not list docs/b.md\n"))


if __name__ == "__main__":
    unittest.main()
