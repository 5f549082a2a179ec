"""pip installs the module without a network, and it runs from there.

    pip_test.py SOURCES BUILD
"""

import os
import subprocess
import sys
import tempfile


def run(arguments, **keywords):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, **keywords)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    sources, build = sys.argv[1:]
    needed = subprocess.run([sys.executable, "-c", "import setuptools, wheel, pip, venv"], check=False,
                            capture_output=True)
    if needed.returncode != 0:
        print("skipped: this Python has no pip, setuptools, wheel or venv")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "venv")
        run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", place])
        python = os.path.join(place, "bin", "python3")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment["PARALLAX_BUILD_DIR"] = build
        run([python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", sources],
            env=environment)
        told = run([python, "-c", "import parallax; print(parallax.__file__); "
                    "frame = next(parallax.synthetic('shift', width=64, height=32, shift=5)); "
                    "print(parallax.Matcher(matching_cost_num_disparities=16).compute(frame).disparity[16, 40])"],
                   env=environment, cwd=folder)
        if not told.startswith(place) or float(told.split()[-1]) != 5:
            sys.exit(f"the installed module says:\n{told}")
        print(told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
