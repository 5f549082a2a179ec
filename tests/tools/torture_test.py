#!/usr/bin/env python3
"""tools/torture: what counts as a hang."""

import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
FILE = Path(__file__).resolve().parents[2] / "tools/torture"
LOADER = importlib.machinery.SourceFileLoader("torture", str(FILE))
torture = importlib.util.module_from_spec(importlib.util.spec_from_loader("torture", LOADER))
LOADER.exec_module(torture)


class WaitForTest(unittest.TestCase):
    def wait(self, command, limit_s, do=lambda child: None):
        with subprocess.Popen(command) as child:
            try:
                thread = threading.Thread(target=do, args=(child,))
                thread.start()
                return torture.wait_for(child, child.wait, limit_s)
            finally:
                thread.join()
                child.kill()

    def test_a_program_that_goes_on_hangs(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            self.wait(["sleep", "100"], 1)

    def test_a_program_that_was_stopped_does_not(self):
        def stop(child):
            os.kill(child.pid, signal.SIGSTOP)
            time.sleep(4)
            os.kill(child.pid, signal.SIGCONT)

        code, waited_s = self.wait(["sleep", "1"], 3, stop)
        self.assertEqual(code, 0)
        self.assertLess(waited_s, 3)

    def test_a_program_that_spins_hangs(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            self.wait([sys.executable, "-c", "while True: pass"], 0.05)

    def test_only_time_in_which_it_could_work_counts(self):
        self.assertEqual(torture.time_it_had(0.5, "TT", 0), 0)
        self.assertEqual(torture.time_it_had(0.5, "SR", 0.01), 0.01)  # others have the processors
        self.assertEqual(torture.time_it_had(0.5, "RR", 0.9), 0.5)
        self.assertEqual(torture.time_it_had(0.5, "SD", 0), 0.5)
        self.assertEqual(torture.time_it_had(0.5, "", 0), 0.5)

    def test_a_run_gives_code_and_outputs(self):
        program = torture.Program("/bin/sh")
        self.assertEqual(program.run("-c", "echo a; echo b >&2; exit 3"), (3, b"a\n", b"b\n"))
        with self.assertRaises(torture.Finding) as hang:
            program.run("-c", "exec sleep 100", limit_s=1)
        self.assertEqual(hang.exception.kind, "hang")


if __name__ == "__main__":
    unittest.main()
