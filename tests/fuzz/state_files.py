"""Campaign: a curator's state file, damaged byte by byte and forged with all its seals in order."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from curators import SHAPE, WIDE_QUESTIONS, quick_vault
from mutations import mutate_bytes, mutate_value, nasty_value

import hushtable as ht
from hushtable.curator.conditions import remembered
from hushtable.curator.opening import CuratorRequest, _account, _begun
from hushtable.vault.ledger.sealed_lines import START, StateFile, _canonical, _seal

NOTHING = CuratorRequest(budget=None, questions=None, updates=None, factor=None, way=None)


def genuine_state(folder: Path, points: int | None) -> bytes:
    """What a curator wrote that answered eight questions, on all cells or on random points of them."""
    with quick_vault(folder).curate(
        budget=ht.Budget(rho=40), updates=5, questions=100, way="hypothesis", points=points
    ) as curator:
        for text in WIDE_QUESTIONS[:8]:
            curator.ask(text)
    return (folder / "t.curator").read_bytes()


def prepare(folder: Path) -> Callable[[random.Random], None]:
    (folder / "points").mkdir()
    both = [genuine_state(folder, None), genuine_state(folder / "points", 40)]
    path = folder / "case.curator"

    def run(luck: random.Random) -> None:
        genuine = luck.choice(both)
        entries = [json.loads(line) for line in genuine.splitlines()]
        if luck.random() < 0.3:
            path.write_bytes(mutate_bytes(genuine, luck))
        else:
            changed: Any = copy.deepcopy(entries)
            for _ in range(luck.choice((1, 1, 2))):
                place = luck.randrange(len(changed)) if changed else 0
                if luck.random() < 0.1 or not changed:
                    changed.insert(place, nasty_value(luck))
                else:
                    changed[place] = mutate_value(changed[place], luck)
            path.write_bytes(sealed(changed))
        state = StateFile(path)
        try:
            plan = _begun(state, SHAPE, NOTHING, luck.choice((None, 2000)))
            if state.first("start"):
                belief, _ = remembered(plan, state)
                belief.share((0,), np.array([True, False, False, False]))
            if state.first("reserved") and luck.random() < 0.2:
                _account(state, plan, folder / "t.ledger", read=lambda *_: None)  # type: ignore[arg-type, return-value]
        finally:
            state.close()

    return run


def sealed(entries: list[Any]) -> bytes:
    """Numbers, links and hashes as they should be, but for one in ten."""
    out, previous = [], START
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            out.append(json.dumps(entry).encode())
            continue
        entry.pop("hash", None)
        mended = entry | {"number": number, "previous": previous}
        try:
            previous = _seal(mended)
            out.append(_canonical(mended | {"hash": previous}))
        except ValueError:
            out.append(b"{}")
    return b"\n".join(out) + b"\n"
