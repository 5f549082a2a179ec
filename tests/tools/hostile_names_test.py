#!/usr/bin/env python3
"""Pages of eval, compare and calibrate whose frames and folders have hostile names: nothing of a name becomes a part of the page.

    tests/tools/hostile_names_test.py PROGRAM

Each page is parsed, and where Chromium is installed, loaded: the page that scripts have made is parsed as well.
"""

import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from torture_lib import scenes  # noqa: E402

# Each would change the title, were it a part of the page. The last: overrides of the direction of writing.
NAMES = ["<script>document.title='owned'<!--", "<img src=x onerror=document.title='owned'>",
         "\"'><svg onload=document.title='owned'>", "'-document.title='owned'-'", "&lt;b&gt;&quot;",
         "line\nbreak\r\ttab", "]]><iframe srcdoc=owned>", "\u202egnp.owned\u2066", "`${document.title='owned'}`"]


CALIBRATION = """cam0=[60 0 30; 0 60 20; 0 0 1]
cam1=[60 0 30; 0 60 20; 0 0 1]
doffs=0
baseline=100
width=60
height=40
ndisp=16
"""


class Page(HTMLParser):
    """Counts its elements; what a name would have brought in is a fault."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.faults, self.text, self.title = {}, [], "", ""
        self.open_tag = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.open_tag = tag
        for name, value in attrs:
            if name.startswith("on") or name == "srcdoc" or (name in ("src", "href") and value in ("x", "owned")):
                self.faults.append(f"<{tag} {name}={value!r}>")
        if tag in ("iframe", "object", "embed", "base", "form"):
            self.faults.append(f"<{tag}>")

    def handle_data(self, data):
        if self.open_tag == "title" and not self.title:
            self.title = data
        self.text += data


def check(page, what, names):
    """names: that the page has to show as they are. Scripts: the page's own, and its figures as JSON."""
    text = page.read_text(encoding="utf-8")  # strict
    sources = [("as written", text)]
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is not None:
        command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom",
                   page.as_uri()]
        sources.append(("as loaded", subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()))
    scripts = []
    for state, source in sources:
        parsed = Page(source)
        assert not parsed.faults, f"{what}, {state}: {parsed.faults}"
        assert parsed.title and parsed.title != "owned", f"{what}, {state}: a script of a name ran"
        scripts.append(parsed.tags.get("script", 0))
        for name in names:
            assert name in parsed.text, f"{what}, {state}: {name!r} is not shown"
    assert scripts[0] <= 2 and len(set(scripts)) == 1, f"{what}: {scripts} scripts"
    return len(sources)


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, f"{words}: {done.stderr}"
    assert all(ord(c) >= 32 or c in "\n" for c in done.stdout), f"{words}: control characters on standard output"


def main():
    program = sys.argv[1]
    match = ["--set", "matching_cost.num_disparities=16"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scene = folder / "names"
        made = folder / "made"
        run(program, "synth", "planes", "--output", folder / "synth", "--width", "60", "--height", "40", "--frames", "1",
            "--layout", "kitti2012")
        run(program, "run", folder / "synth", *match, "--write", "pfm", "--output", made)
        for hostile in NAMES:  # as Middlebury's scenes, whose folders name them
            (scene / hostile).mkdir(parents=True)
            for i in range(2):
                shutil.copy(folder / f"synth/training/image_{i}/000000_10.png", scene / hostile / f"im{i}.png")
            shutil.copy(made / "pfm/000000_10.pfm", scene / hostile / "disp0GT.pfm")
            (scene / hostile / "calib.txt").write_text(CALIBRATION)
        figures = [folder / f"{hostile.replace('/', '')}.json" for hostile in NAMES[1:3]]
        for i, file in enumerate(figures):
            run(program, "eval", scene, *match, "--set", f"aggregation.p1={2 + i}", "--json", file, "--report", folder / "report",
                "--csv", folder / "figures.csv")
        num_states = check(folder / "report/index.html", "eval", [NAMES[7]])
        run(program, "compare", *figures, "--report", folder / "compared")
        check(folder / "compared/index.html", "compare", [NAMES[7]])
        scenes.make_board(folder / "board")
        board = [folder / "board" / side for side in ("left", "right")]
        for side in board:
            for file, hostile in zip(sorted(side.iterdir()), NAMES):
                file.rename(side / (hostile + ".pgm"))
        place = folder / NAMES[1]
        run(program, "calibrate", *board, "--board", "chessboard:5x4", "--square", "0.04", "--output", place)
        check(place / "index.html", "calibrate", [])
        print(f"{len(NAMES)} hostile names on 3 pages, " + ("parsed and loaded by Chromium" if num_states == 2 else "parsed"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
