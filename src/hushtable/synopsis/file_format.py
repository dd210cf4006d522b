"""The .hush file: a zip of manifest.json and Parquet members, readable without this library."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadPath, BadSynopsis, HushError
from ..files import new_file
from ..models import MODELS
from ..models.column_means import ColumnMeans
from ..models.number_shapes import NumberShapes

if TYPE_CHECKING:
    from . import Synopsis

__all__ = ["digest_of", "pack", "read", "released_numbers", "write"]

# The newest version, which all older ones can be read with. A file says the first version that has what it needs.
FORMAT = 6
MANIFEST, MEANS, SHAPES = "manifest.json", "means", "passes"
MOST_MANIFEST_BYTES = 50_000_000
MOST_NUMBERS = 50_000_000
# Parquet pages of integers never grow beyond this much per number plus a fixed part.
MOST_BYTES_PER_NUMBER, FIXED_BYTES = 16, 100_000


def released_numbers(synopsis: Synopsis) -> dict[str, NDArray[np.int64]]:
    """All noisy numbers of a synopsis, by the names of their members."""
    means = {} if synopsis.means is None else {MEANS: synopsis.means.sums}
    shapes = {} if synopsis.shapes is None else {SHAPES: synopsis.shapes.counts}
    return dict(synopsis.model.numbers()) | means | shapes


def pack(synopsis: Synopsis) -> tuple[bytes, dict[str, bytes]]:
    """The manifest and the members of a synopsis, as bytes."""
    numbers, means, shapes = released_numbers(synopsis), synopsis.means, synopsis.shapes
    members = {f"{name}.parquet": _parquet(values) for name, values in numbers.items()}
    manifest = {
        "format": max(synopsis.model.format, synopsis.domain.form),
        "domain": synopsis.domain.to_dict(),
        "workload": synopsis.workload,
        "mechanism": synopsis.mechanism,
        "model": {"kind": synopsis.model.kind, "parameters": synopsis.model.parameters()},
        **({} if means is None else {"means": means.parameters()}),
        **({} if shapes is None else {"passes": shapes.parameters()}),
        "accounting": synopsis.accounting,
        "not_private": synopsis.not_private,
        "members": {
            name: {"sha256": _sha256(data), "numbers": len(numbers[name.removesuffix(".parquet")])}
            for name, data in members.items()
        },
    }
    manifest["digest"] = _sha256(_canonical(manifest))
    return json.dumps(manifest, indent=1).encode(), members


def digest_of(manifest: bytes) -> str:
    """The digest a manifest states of itself."""
    return str(json.loads(manifest)["digest"])


def write(path: str | Path, manifest: bytes, members: dict[str, bytes]) -> None:
    """All or nothing."""
    with new_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member, data in ((MANIFEST, manifest), *members.items()):
            archive.writestr(zipfile.ZipInfo(member), data)


def read(path: str | Path) -> Synopsis:
    """The synopsis in a file, or one line that says what is wrong with it."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, str(path))
    except FileNotFoundError:
        raise BadPath(f"no file {path}; give the path of a .hush file") from None
    except (BadSynopsis, BadPath):
        raise
    except OSError as error:
        raise BadPath(f"cannot read {path}: {error.strerror or 'it is not a regular file'}") from None
    except (
        zipfile.BadZipFile,
        HushError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        NotImplementedError,
        RecursionError,
        MemoryError,
        ZeroDivisionError,
        RuntimeError,
        EOFError,
    ):
        raise BadSynopsis(
            f"{path} is damaged, edited or not a synopsis (.hush) file; ask its publisher for a fresh copy"
        ) from None


def _read(archive: zipfile.ZipFile, path: str) -> Synopsis:
    from . import Synopsis

    manifest = json.loads(_bytes(archive, MANIFEST, MOST_MANIFEST_BYTES), parse_constant=_refuse)
    if isinstance(manifest, dict) and isinstance(manifest.get("format"), int) and manifest["format"] > FORMAT:
        raise BadSynopsis(f"{path} has format {manifest['format']}, and this version reads up to {FORMAT}; upgrade")
    stated = manifest.pop("digest")
    if stated != _sha256(_canonical(manifest)):
        raise ValueError("edited manifest")
    domain, kind = Domain.from_dict(manifest["domain"]), MODELS[manifest["model"]["kind"]]
    parameters = manifest["model"]["parameters"]
    lengths = {f"{name}.parquet": length for name, length in kind.lengths(domain, parameters).items()}
    summed = manifest.get("means")
    if summed is not None:
        lengths[f"{MEANS}.parquet"] = ColumnMeans.length(domain, summed)
    passes = manifest.get("passes")
    if passes is not None:
        lengths[f"{SHAPES}.parquet"] = NumberShapes.length(domain, passes)
    if sorted(archive.namelist()) != sorted([MANIFEST, *lengths]) or sum(lengths.values()) > MOST_NUMBERS:
        raise ValueError("unexpected members")
    numbers = {}
    for name, length in lengths.items():
        data = _bytes(archive, name, FIXED_BYTES + MOST_BYTES_PER_NUMBER * length)
        if _sha256(data) != manifest["members"][name]["sha256"]:
            raise ValueError("edited member")
        numbers[name.removesuffix(".parquet")] = _integers(data, length)
    return Synopsis(
        domain=domain,
        model=kind.build(domain, parameters, numbers),
        workload=manifest["workload"],
        mechanism=manifest["mechanism"],
        accounting=manifest["accounting"],
        not_private=bool(manifest["not_private"]),
        means=None if summed is None else ColumnMeans.build(domain, summed, numbers[MEANS]),
        shapes=None if passes is None else NumberShapes.build(domain, passes, numbers[SHAPES]),
    )


def _bytes(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A stored (never compressed) member of bounded size."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > most:
        raise ValueError("member too large or compressed")
    return archive.read(info)


def _parquet(values: NDArray[np.int64]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(
        pa.table({"value": values}),
        sink,
        compression="zstd",
        use_dictionary=False,
        column_encoding="DELTA_BINARY_PACKED",
    )
    return sink.getvalue()


def _integers(data: bytes, length: int) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        if file.metadata.num_rows != length or file.schema_arrow.names != ["value"]:
            raise ValueError("unexpected shape")
        column = file.read().column("value")
        if column.type != pa.int64() or column.null_count:
            raise ValueError("unexpected type")
        # Straight from the buffers: pyarrow's to_numpy would import pandas, which takes longer than asking.
        parts = [np.frombuffer(c.buffers()[1], np.int64, len(c), 8 * c.offset) for c in column.chunks if len(c)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    except (pa.ArrowException, OSError) as error:
        raise ValueError(str(error)) from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} in a manifest")


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
