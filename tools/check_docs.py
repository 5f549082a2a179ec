#!/usr/bin/env python3
"""Fails where a link of a Markdown page leads to no file or heading, or where docs/README.md forgets a page.

    tools/check_docs.py [ROOT]      prints one line per fault; ends with 1 when there is one
"""

import re
import sys
from pathlib import Path

import check_tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"```.*?```", re.DOTALL)


def links_of(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", page.read_text(encoding="utf-8")))
    return [link for link in LINK.findall(text) if not re.match(r"https?://|mailto:", link)]


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fault_of(page: Path, link: str) -> str:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return f"{path}: there is no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors_of(target):
        return f"{link}: there is no such heading"
    return ""


def faults_of_tree(root: Path) -> list[str]:
    pages = [*root.glob("*.md"), *sorted((root / "docs").rglob("*.md"))]
    faults = [
        f"{page.relative_to(root)}: {fault}"
        for page in pages
        for link in links_of(page)
        if (fault := fault_of(page, link))
    ]
    index = root / "docs" / "README.md"
    listed = {(index.parent / link.split("#")[0]).resolve() for link in links_of(index)}
    faults += [
        f"docs/README.md: does not list {page.relative_to(root)}"
        for page in pages
        if page.parent != root and page != index and page.resolve() not in listed
    ]
    return faults


if __name__ == "__main__":
    sys.exit(check_tree.run("check_docs", "docs/README.md", faults_of_tree, "every link leads somewhere"))
