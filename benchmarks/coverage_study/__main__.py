"""`python -m benchmarks.coverage_study [NAME]`: runs the families that NAME begins, and writes docs/coverage.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .families import settings
from .page import write_page
from .run import CORES, ROOT, SECONDS, code_digest, read_lines, run_all

RESULTS = ROOT / ".coverage-study" / "results.jsonl"


def main() -> None:
    """Exits with 1 when a kind misses a bar or a setting broke."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage_study", description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="families whose names begin so")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="processor seconds a setting")
    parser.add_argument("--cores", type=int, default=CORES, help="settings at a time")
    parser.add_argument("--rows", type=int, nargs="*", help="these numbers of rows alone")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "coverage.md", help="the page to write")
    parser.add_argument("--any-code", action="store_true", help="also use results that other code made")
    parser.add_argument("--no-run", action="store_true", help="write the page from the results there are")
    given = parser.parse_args()
    chosen = [one for one in settings(given.only) if not given.rows or one.rows in given.rows]
    chosen = [] if given.no_run else chosen
    for number, line in enumerate(run_all(chosen, given.results, seconds=given.seconds, cores=given.cores), 1):
        print(f"{number:4} {line['key']}: {_said(line)}", file=sys.stderr, flush=True)
    lines = read_lines(given.results, None if given.any_code else code_digest())
    missed = write_page(given.page, lines, settings())
    print(f"wrote {given.page}; {len(missed)} kinds miss a bar", file=sys.stderr)
    sys.exit(1 if missed else 0)


def _said(line: dict[str, object]) -> str:
    if "kinds" in line:
        return f"{line['releases']} releases, {line['cpu']:.1f} s"
    return str(line.get("skipped") or line.get("broke"))


if __name__ == "__main__":
    main()
