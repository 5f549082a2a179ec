#!/usr/bin/env python3
"""Tries the page of `parallax eval --report` in a browser: sorting, filter, links, slider.

    tests/tools/report_page_test.py PROGRAM       ends with 77, skipped, where no Chromium is installed
"""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Runs in the page once it is loaded; what it finds goes into an attribute that the dump of the page shows.
SCRIPT = """
addEventListener("load", () => {
  const found = {};
  const table = document.querySelector("table.frames");
  const names = () => [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[0].textContent).join(" ");
  const input = (id, value) => {
    const element = document.getElementById(id);
    element.value = value;
    element.dispatchEvent(new Event("input"));
  };
  found.worst_first = names();
  table.tHead.rows[0].cells[0].click();
  found.by_name = names();
  table.tHead.rows[0].cells[0].click();
  found.by_name_down = names();
  input("filter-name", "02");
  found.filtered = names();
  found.cards = [...document.querySelectorAll(".card")].filter((card) => !card.hidden).length;
  input("filter-name", "");
  input("filter-least", "1e9");
  found.none = names();
  input("filter-least", "");
  found.all_again = names();
  location.hash = table.tBodies[0].rows[0].querySelector("a").hash;
  setTimeout(() => {
    const card = document.querySelector(".card[open]");
    found.opened = card.querySelector("b").textContent;
    card.querySelectorAll(".grid figure")[1].click();
    input("slider", 250);
    found.dialog = document.getElementById("viewer").open;
    found.pair = document.getElementById("first").value + " " + document.getElementById("second").value;
    found.cut = document.querySelectorAll(".compare img")[1].style.clipPath;
    document.body.dataset.found = JSON.stringify(found);
  }, 200);
});
"""


def dumped(browser: str, page: Path) -> str:
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
               "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout


def main() -> int:
    program = sys.argv[1]
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("report_page_test: skipped, chromium is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for arguments in (["synth", "planes", "--output", folder / "set", "--width", "90", "--height", "40", "--frames", "3"],
                          ["eval", folder / "set", "--set", "matching_cost.num_disparities=16", "--report", folder / "report"]):
            subprocess.run([program, *map(str, arguments)], check=True, capture_output=True)
        page = folder / "report" / "index.html"
        text = page.read_text()
        assert "http" not in text, "the page refers to something elsewhere"
        for address in set(re.findall(r'src="([^"]+)"', text)):
            assert (page.parent / address).is_file(), f"{address} is missing"
        for address in set(re.findall(r'href="#([^"]+)"', text)):
            assert f'id="{address}"' in text, f"#{address} leads nowhere"
        page.write_text(text.replace("</body>", "<script>" + SCRIPT + "</script></body>"))
        found = re.search(r'data-found="([^"]*)"', dumped(browser, page))
        assert found, "the page's script did not run to its end"
        found = json.loads(html.unescape(found.group(1)))
    up = "000000_10 000001_10 000002_10"
    down = "000002_10 000001_10 000000_10"
    expected = {"by_name": up, "by_name_down": down, "filtered": "000002_10", "cards": 1, "none": "", "all_again": down,
                "opened": "000002_10", "dialog": True, "pair": "errors disparity", "cut": "inset(0px 0px 0px 25%)"}
    assert sorted(found["worst_first"].split()) == up.split(), found
    for key, value in expected.items():
        assert found[key] == value, f"{key}: {found[key]!r} in place of {value!r}"
    print("report_page_test: sorting, filter, links and slider act")
    return 0


if __name__ == "__main__":
    sys.exit(main())
