"""pip install --no-build-isolation . builds the Python module with CMake (docs/python.md).

PARALLAX_BUILD_DIR: a folder in which it was built already, which is then taken as it is.
PARALLAX_CMAKE_ARGS: further arguments for configuring, such as -DPARALLAX_CUDA=OFF.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """Has CMake build the modules and takes them along."""

    def build_extension(self, ext):
        folder = os.environ.get("PARALLAX_BUILD_DIR") or self.build_with_cmake()
        modules = sorted(Path(folder).glob(f"python/parallax/{ext.name.rsplit('.')[-1]}*.so"))
        if not modules:
            sys.exit(f"{folder}/python/parallax: holds no module: configure with -DPARALLAX_PYTHON=ON and build")
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(modules[0], target)
        media = "libparallax_media.so"  # loaded for videos and rarer image formats
        shutil.copyfile(Path(folder) / media, target.parent / media)

    def build_with_cmake(self):
        folder = ROOT / "build" / "pip"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.check_call(
            ["cmake", "-S", str(ROOT), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release"]
            + ["-DPARALLAX_PYTHON=ON", f"-DPARALLAX_PYTHON_EXECUTABLE={sys.executable}"]
            + ["-DPARALLAX_TESTS=OFF", "-DPARALLAX_VIEWER=OFF"]
            + shlex.split(os.environ.get("PARALLAX_CMAKE_ARGS", ""))
        )
        jobs = str(os.cpu_count() or 1)
        subprocess.check_call(["cmake", "--build", str(folder), "--target", "parallax_python", "-j", jobs])
        return folder


def version():
    found = re.search(r"project\(parallax VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found.group(1)


(ROOT / "build").mkdir(exist_ok=True)
setup(
    name="parallax",
    version=version(),
    description="Stereo pairs to depth and point clouds, on a CPU or a GPU, with a score",
    license="Apache-2.0",
    python_requires=">=3.9",
    install_requires=["numpy"],
    package_dir={"": "python"},
    packages=["parallax"],
    package_data={"parallax": ["*.pyi", "py.typed"]},
    ext_modules=[Extension("parallax._native", sources=[]), Extension("parallax._calibrate", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"egg_info": {"egg_base": "build"}},  # nothing next to the sources
    zip_safe=False,
)
