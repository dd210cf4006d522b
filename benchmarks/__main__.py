"""`python -m benchmarks [NAME]`: one JSON line a figure; NAME is a figure, its beginning, or a file here."""

import json
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

from benchmarks._figure import wanted

FILES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main() -> None:
    only = sys.argv[1] if len(sys.argv) > 1 else None
    measured, failed = 0, False
    for name in FILES:
        module = import_module(f"benchmarks.{name}")
        whole = not only or name.startswith(only)
        if not whole and not any(wanted(figure, only) for figure in module.FIGURES):
            continue
        # A file that is called by its own name runs whole, whatever its figures are called.
        parts = {"only": None if whole else only} if "only" in signature(module.run).parameters else {}
        for figure in module.run(**parts):
            if not whole and not figure["name"].startswith(only):
                continue
            print(json.dumps(figure), flush=True)
            measured += 1
            failed |= not figure["holds"]
    if only and not measured:
        sys.exit(f"nothing was measured by the name {only}: no such figure, or no tables for it")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
