"""What a release imports and compiles after `prepare`: each specimen in a process of its own, that starts with little.

Run as a program it prints one JSON object, from the name of a specimen to what came late.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from specimens import APPROX, CLOSED, RHO, Specimen, every_specimen, rows_of

import hushtable as ht
from hushtable.budget import Budget

# Big enough that second rounds, audits, rare values and wide codes are met.
RICH, USUAL = Budget(rho=20), Budget(epsilon=1, delta="1e-9")
WIDE = {f"y{i}": {"kind": "boolean", "missing": "error"} for i in range(34)}
LONG = {name: {"kind": "category", "values": [f"v{i}" for i in range(300)]} for name in ("long", "other")}
FIVE = {f"y{i}": {"kind": "boolean", "missing": "error"} for i in range(6)}
MORE = (
    Specimen("default-small", FIVE, None, None, USUAL, ()),
    Specimen("second-round", FIVE, "whole_table()", None, RICH, ()),
    Specimen("long-columns", CLOSED | LONG, "whole_table()", None, RICH, ()),
    Specimen("rare-values", WIDE, "whole_table()", None, RICH, ()),
    Specimen("wide-pure", WIDE, "whole_table()", None, Budget(epsilon=1), ()),
    Specimen("triples-of-bits", WIDE, "marginals(width=3)", "low-order", USUAL, ()),
    Specimen("fours", CLOSED | FIVE, "marginals(width=4)", "low-order", RHO, ()),
    Specimen("long-pairs", CLOSED | LONG, "marginals(width=2)", "tables", Budget(epsilon=1), ()),
    Specimen("mwem-triples", CLOSED | FIVE, "marginals(width=3)", "mwem", USUAL, ()),
    Specimen("mwem-adaptive", FIVE, "parities(order=3)", "mwem(adaptive=true)", APPROX, ()),
    Specimen("mwem-cells", CLOSED, "marginals(width=2)", "mwem(unit=query)", RHO, ()),
)


def table(one: Specimen, number: int = 4000) -> pa.Table:
    """Rows of dependent columns; those of the wide table are rare."""
    if one.attributes in (FIVE, WIDE):
        g = np.random.default_rng(2)
        lean = g.random(number)
        share = 0.05 if one.attributes is WIDE else 0.5
        bits = {name: (g.random(number) + lean) / 2 < share for name in one.attributes}
        return pa.table({name: bits[name] for name in bits} | {"y5": bits["y0"] ^ bits["y1"]})
    found = rows_of({name: spec for name, spec in one.attributes.items() if name not in LONG}, number)
    for name in (n for n in LONG if n in one.attributes):
        found = found.append_column(name, pa.array([f"v{i * i % 300}" for i in range(number)]))
    return found.select(list(one.attributes))


def loaded() -> tuple[set[str], dict[str, int]]:
    """Modules that are imported, and versions of kernels that are compiled or read from the cache."""
    from numba.core.dispatcher import Dispatcher

    kernels = [item for item in gc.get_objects() if isinstance(item, Dispatcher)]
    counts = {f"{k.py_func.__module__}.{k.py_func.__name__}": len(k.overloads) for k in kernels}
    return {name.split(".")[0] for name in sys.modules} | set(sys.modules), counts


def late(one: Specimen, prepares: bool = True) -> list[str]:
    """What `release` needed that `prepare` had not brought. The vault was opened before, as it always is."""
    from hushtable.owner.prepare import prepare, prepared

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        import pyarrow.parquet

        pyarrow.parquet.write_table(table(one), "t.parquet")
        vault = ht.Vault("t.parquet", one.domain)
        made = ht.plan(one.domain, rows=vault.rows, workload=one.workload, mechanism=one.mechanism, budget=one.budget)
        if prepares:
            prepare(made)
        prepared.add(made.digest)
        modules, kernels = loaded()
        vault.release(made).save("t.hush")
        more, after = loaded()
    # The journal and the ledger are ours; all else must be there.
    third = {name for name in more - modules if name.split(".")[0] not in sys.stdlib_module_names}
    third = {name for name in third if not name.startswith("hushtable")}
    return sorted(third) + sorted(name for name, count in after.items() if count > kernels.get(name, 0))


def main() -> None:
    """Forks once for each specimen."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        known = {one.name: (one, True) for one in (*every_specimen(Path(folder)), *MORE)}
        # Power: what is not prepared is seen.
        known |= {f"unprepared {name}": (known[name][0], False) for name in ("mwem", "pair-rake", "low-order")}
        for name in sys.argv[1:] or known:
            one, prepares = known[name]
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    said = late(one, prepares)
                except BaseException as error:
                    said = [repr(error)]
                os.write(writer, json.dumps(said).encode())
                os._exit(0)
            os.close(writer)
            with os.fdopen(reader, "rb") as pipe:
                found[name] = json.loads(pipe.read() or b'["died"]')
            os.waitpid(child, 0)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
