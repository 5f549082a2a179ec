"""What the checks of the whole tree have in common: the command line, the report, the exit code."""

import sys
from pathlib import Path


def run(name: str, landmark: str, faults_of_tree, all_well: str) -> int:
    """Checks the folder on the command line, or this project. landmark: a path that a project's root has."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    if not (root / landmark).exists():
        print(f"{name}: {root} has no {landmark}: give the project's root", file=sys.stderr)
        return 2
    faults = faults_of_tree(root)
    print("\n".join(faults) if faults else f"{name}: {all_well}")
    return 1 if faults else 0
