"""Files: a new one is there whole or not at all, and never instead of another."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import BadPath

__all__ = ["check_writable", "new_file", "publish"]


@contextmanager
def new_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A new file, all or nothing: half of it would look like all of it. It has its name once it is on the disk."""
    target = check_writable(path)
    name = ""
    try:
        handle, name = _beside(target)
        with os.fdopen(handle, "wb") as file:
            yield file
        with open(name, "rb") as written:  # whoever wrote may have closed theirs
            os.fsync(written.fileno())
        os.chmod(name, 0o644)
        publish(name, target)
    except FileExistsError:
        raise _exists(target) from None
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


def publish(name: str | Path, target: Path) -> None:
    """Gives a complete file its name; FileExistsError where something of that name appeared meanwhile."""
    try:
        os.link(name, target)
    except FileExistsError:
        raise
    except OSError:
        # No hard links on this file system. An exclusive empty file claims the name instead; a crash before the rename
        # leaves it empty, which opening it explains.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(name, target)


def _exists(target: Path) -> BadPath:
    return BadPath(f"{target} exists and may be the only copy of a release; choose another name or move it away")
