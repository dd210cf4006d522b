"""A hook of mkdocs: the site has the tree of the project, so that a link that works in one works in the other.

mkdocs knows one folder of pages. Here the pages of docs/ keep their folder, and those in the root of the project, the
licence and the pictures of papers/ stand beside it.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

__all__ = ["on_files"]

ROOT = Path(__file__).parents[1]
BESIDE = ("*.md", "LICENSE", "papers/*/figure.svg")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """The same files by their paths from the root of the project, and those that pages link to."""
    placed = []
    for file in files:
        if file.abs_src_path and Path(file.abs_src_path).is_relative_to(config.docs_dir):
            path = Path(file.abs_src_path)
            placed.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
        else:
            placed.append(file)  # of the theme
    for pattern in BESIDE:
        for path in sorted(ROOT.glob(pattern)):
            placed.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return Files(placed)
