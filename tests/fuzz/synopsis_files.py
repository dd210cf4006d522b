"""Campaign: synopsis files of every model, damaged byte by byte and forged with all their digests in order."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mutations import mutate_bytes, mutate_value, nested
from specimens import released

from hushtable.errors import BadQuestion
from hushtable.synopsis.file_format import _canonical, _parquet, _sha256, pack, read

EXTREMES = (0, 1, -1, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63))


def prepare(folder: Path) -> Callable[[random.Random], None]:
    """Most cases change the manifest or the numbers and seal them again, as a forger would; they reach deepest."""
    files = {}
    for name, (synopsis, questions) in released(folder).items():
        manifest, members = pack(synopsis)
        files[name] = (manifest, members, synopsis.model.numbers(), questions)
        with contextlib.suppress(BadQuestion):  # a mean that a tiny release does not have
            use(zipped({"manifest.json": manifest} | members), questions)
    names = sorted(files)

    def run(luck: random.Random) -> None:
        manifest, members, numbers, questions = files[luck.choice(names)]
        what = luck.random()
        if what < 0.15:
            data = mutate_bytes(zipped({"manifest.json": manifest} | members), luck)
        elif what < 0.25:
            data = tricked(manifest, members, luck)
        else:
            data = forged(json.loads(manifest), dict(members), numbers, luck)
        use(data, questions)

    return run


def use(data: bytes, questions: tuple[str, ...]) -> None:
    """Reads the file and does with it what people do; the first refusal ends it."""
    synopsis = read(io.BytesIO(data))  # type: ignore[arg-type]
    str(synopsis)
    for question in questions:
        answer = synopsis.ask(question)
        json.dumps(answer.to_dict(0.95), allow_nan=False)
        answer.text(0.95)


def forged(manifest: dict[str, Any], members: dict[str, bytes], numbers: dict[str, Any], luck: random.Random) -> bytes:
    for _ in range(luck.choice((1, 1, 1, 2, 3))):
        part = luck.choice(("model", "model", "domain", "numbers", "any"))
        if part == "numbers" and numbers:
            name = luck.choice(sorted(numbers))
            members[f"{name}.parquet"] = _parquet(changed(numbers[name], luck))
        elif part in ("numbers", "any"):
            manifest = mutate_value(manifest, luck)
        elif isinstance(manifest, dict) and part in manifest:
            manifest[part] = mutate_value(manifest[part], luck)
    return zipped({"manifest.json": sealed(manifest, members)} | members)


def changed(values: np.ndarray, luck: random.Random) -> np.ndarray:
    values = values.copy()
    what = luck.randrange(4)
    if what == 0:
        return values[: luck.randrange(len(values) + 1)]
    if what == 1 or not len(values):
        return np.append(values, luck.choice(EXTREMES))
    if what == 2:
        values[luck.randrange(len(values))] = luck.choice(EXTREMES)
        return values
    return np.full(len(values), luck.choice(EXTREMES), dtype=np.int64)


def sealed(manifest: Any, members: dict[str, bytes]) -> bytes:
    """The manifest with its digests mended, where it still has a place for them."""
    if not isinstance(manifest, dict):
        return json.dumps(manifest).encode()
    manifest.pop("digest", None)
    stated = manifest.get("members")
    for name, data in members.items():
        if isinstance(stated, dict) and isinstance(stated.get(name), dict):
            stated[name]["sha256"] = _sha256(data)
    return json.dumps(manifest | {"digest": _sha256(_canonical(manifest))}).encode()


def zipped(parts: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return sink.getvalue()


def tricked(manifest: bytes, members: dict[str, bytes], luck: random.Random) -> bytes:
    """Zip and JSON tricks: bombs, paths, twins, compressed or encrypted members, deep nesting, odd numbers."""
    parts = {"manifest.json": manifest} | members
    methods = (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    constant = luck.choice((b"NaN", b"Infinity", b"1e999"))
    deep = luck.choice((b"[" * 10_000, b"[" * 200_000, json.dumps(nested(500)).encode(), b'{"a":' * 5000))
    junk = (b"", b"PK", b"PK\x05\x06" + b"\0" * 18, b"\xff" * 1000, manifest, *members.values())
    tricks: list[Callable[[], bytes]] = [
        lambda: zipped(parts | {luck.choice(("../../evil", "/etc/passwd", "C:\\x", "a/../b", ".")): b"x"}),
        lambda: zipped(parts, luck.choice(methods)),
        lambda: zipped(parts | {"manifest.json": deep}),
        lambda: zipped(parts | {"manifest.json": manifest.replace(b"1", constant, 1)}),
        lambda: _flagged(zipped(parts), luck),
        lambda: zipped({name: luck.choice((data, b"")) for name, data in parts.items()}),
        lambda: luck.randbytes(luck.choice((0, 4, 100))) + zipped(parts) + luck.randbytes(luck.choice((0, 100))),
        lambda: luck.choice(junk),
    ]
    return luck.choice(tricks)()


def _flagged(data: bytes, luck: random.Random) -> bytes:
    """One of the zip's own fields set to something: encrypted, another method, a size or offset it does not have."""
    changed = bytearray(data)
    start = data.rfind(b"PK\x01\x02") if luck.random() < 0.7 else data.find(b"PK\x03\x04")
    place = start + luck.randrange(4, 46)
    changed[place : place + 1] = bytes([luck.choice((0, 1, 8, 99, 255))])
    return bytes(changed)
