"""`python -m benchmarks [NAME]`: one JSON line a figure; NAME is a figure, its beginning, or a file here."""

import json
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

FILES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main() -> None:
    only = sys.argv[1] if len(sys.argv) > 1 else None
    failed = False
    for name in FILES:
        module = import_module(f"benchmarks.{name}")
        if only and not any(figure.startswith(only) for figure in (name, *module.FIGURES)):
            continue
        for figure in module.run(only) if "only" in signature(module.run).parameters else module.run():
            if only and not (name.startswith(only) or figure["name"].startswith(only)):
                continue
            print(json.dumps(figure), flush=True)
            failed |= not figure["holds"]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
