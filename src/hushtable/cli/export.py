"""`hush export`: the numbers of a synopsis file as text, for programs that read no Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, say

__all__ = ["run"]


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new folder; NAME-numbers by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the manifest and the released numbers of a file as JSON and CSV, as docs/hush.R reads them."""
    from ..errors import BadPath
    from ..synopsis import load
    from ..synopsis.file_format import pack, released_numbers

    opened, folder = load(synopsis), output or synopsis.with_name(f"{synopsis.stem}-numbers")
    manifest, _ = pack(opened)
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise BadPath(f"{folder} is there already; give another folder with -o") from None
    except OSError as error:
        raise BadPath(f"cannot make the folder {folder}: {error.strerror}") from None
    (folder / "manifest.json").write_bytes(manifest)
    numbers = released_numbers(opened)
    for name, values in numbers.items():
        text = "\n".join(["value", *map(str, values.tolist())])
        (folder / f"{name}.csv").write_text(f"{text}\n", encoding="utf-8")
    value = {"folder": str(folder), "members": {name: len(values) for name, values in numbers.items()}}
    say(value, f"wrote {folder}: manifest.json and {', '.join(f'{name}.csv' for name in numbers)}", as_json=as_json)
