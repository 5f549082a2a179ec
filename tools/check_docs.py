#!/usr/bin/env python3
"""Fails where a link of a Markdown page leads nowhere, or where docs/README.md forgets a page.

    tools/check_docs.py [ROOT]      prints one line per fault; ends with 1 when there is one
"""

import re
import sys
from pathlib import Path

import check_tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def links_of(page: Path) -> list[str]:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return [link.split("#")[0] for link in LINK.findall(text) if not re.match(r"https?://|mailto:|#", link)]


def faults_of_tree(root: Path) -> list[str]:
    pages = [*root.glob("*.md"), *sorted((root / "docs").rglob("*.md"))]
    faults = [
        f"{page.relative_to(root)}: {link}: there is no such file"
        for page in pages
        for link in links_of(page)
        if not (page.parent / link).exists()
    ]
    index = root / "docs" / "README.md"
    listed = {(index.parent / link).resolve() for link in links_of(index)}
    faults += [
        f"docs/README.md: does not list {page.relative_to(root)}"
        for page in pages
        if page.parent != root and page != index and page.resolve() not in listed
    ]
    return faults


if __name__ == "__main__":
    sys.exit(check_tree.run("check_docs", "docs/README.md", faults_of_tree, "every link leads somewhere"))
