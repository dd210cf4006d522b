"""The .hush file: a zip of manifest.json and Parquet members, readable without this library."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .domain import Domain
from .errors import BadPath, BadSynopsis, HushError
from .models import MODELS

if TYPE_CHECKING:
    from .synopsis import Synopsis

__all__ = ["check_writable", "digest_of", "new_file", "pack", "read", "write"]

# The newest version, which all older ones can be read with. A file says the first version that has what it needs.
FORMAT = 2
MANIFEST = "manifest.json"
MOST_MANIFEST_BYTES = 50_000_000
MOST_NUMBERS = 50_000_000
# Parquet pages of integers never grow beyond this much per number plus a fixed part.
MOST_BYTES_PER_NUMBER, FIXED_BYTES = 16, 100_000


def pack(synopsis: Synopsis) -> tuple[bytes, dict[str, bytes]]:
    """The manifest and the members of a synopsis, as bytes."""
    numbers = synopsis.model.numbers()
    members = {f"{name}.parquet": _parquet(values) for name, values in numbers.items()}
    manifest = {
        "format": synopsis.model.format,
        "domain": synopsis.domain.to_dict(),
        "workload": synopsis.workload,
        "mechanism": synopsis.mechanism,
        "model": {"kind": synopsis.model.kind, "parameters": synopsis.model.parameters()},
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
    """All or nothing: a temporary file beside the target is renamed once it is complete on disk."""
    target = check_writable(path)
    try:
        handle, name = _beside(target)
    except OSError as error:
        raise BadPath(f"cannot write {target}: {error.strerror}; choose another folder or name") from None
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                for member, data in ((MANIFEST, manifest), *members.items()):
                    archive.writestr(zipfile.ZipInfo(member), data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        _publish(name, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise BadPath(f"cannot write {target}: {error.strerror}") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


@contextmanager
def new_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A new file, all or nothing: half of it would look like all of it."""
    target = check_writable(path)
    try:
        handle, name = _beside(target)
    except OSError as error:
        raise BadPath(f"cannot write {target}: {error.strerror}; choose another folder or name") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, 0o644)
        _publish(name, target)
    except OSError as error:
        raise BadPath(f"cannot write {target}: {error.strerror}; choose another folder or name") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def check_writable(path: str | Path) -> Path:
    """The path, if a new file can be made there. Asked before anything is spent."""
    target = Path(path)
    if target.is_dir():
        raise BadPath(f"cannot write {target}: it is a folder; give the name of a file")
    if os.path.lexists(target):
        raise _exists(target)
    try:
        # By the very name that will be used, which is longer than the target's own.
        handle, name = _beside(target)
        os.close(handle)
        os.unlink(name)
        return target
    except OSError as error:
        raise BadPath(f"cannot write {target}: {error.strerror}; choose a folder you can write to") from None


def _beside(target: Path) -> tuple[int, str]:
    """A new hidden file in the target's folder."""
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")


def _publish(name: str, target: Path) -> None:
    """Gives a complete file its name; FileExistsError where something of that name appeared meanwhile."""
    try:
        os.link(name, target)
    except FileExistsError:
        raise
    except OSError:
        # No hard links on this file system: an exclusive empty file claims the name instead.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(name, target)


def _exists(target: Path) -> BadPath:
    return BadPath(f"{target} exists and may be the only copy of a release; choose another name or move it away")


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
    from .synopsis import Synopsis

    manifest = json.loads(_bytes(archive, MANIFEST, MOST_MANIFEST_BYTES), parse_constant=_refuse)
    if isinstance(manifest, dict) and isinstance(manifest.get("format"), int) and manifest["format"] > FORMAT:
        raise BadSynopsis(f"{path} has format {manifest['format']}, and this version reads up to {FORMAT}; upgrade")
    stated = manifest.pop("digest")
    if stated != _sha256(_canonical(manifest)):
        raise ValueError("edited manifest")
    domain, kind = Domain.from_dict(manifest["domain"]), MODELS[manifest["model"]["kind"]]
    parameters = manifest["model"]["parameters"]
    lengths = {f"{name}.parquet": length for name, length in kind.lengths(domain, parameters).items()}
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
