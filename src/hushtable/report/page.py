"""Page: sections of text, tables and pictures as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .style import STYLE

__all__ = ["PagePart", "cards", "code", "facts_table", "figures", "page", "paragraphs", "section"]


@dataclass(frozen=True)
class PagePart:
    """A section: its heading, by which the contents name it, and what stands below."""

    heading: str
    body: str

    @property
    def anchor(self) -> str:
        """Where a link in the contents goes."""
        return re.sub(r"[^a-z0-9]+", "-", self.heading.lower()).strip("-")

    def __str__(self) -> str:
        return f'<section id="{self.anchor}"><h2>{escape(self.heading)}</h2>{self.body}</section>'


def page(title: str, parts: Sequence[PagePart], *, lead: str = "", stamp: str | None = None) -> str:
    """The whole file: title, contents, sections. A stamp stands above and below everything."""
    banner = f'<p class="stamp">{escape(stamp)}</p>' if stamp else ""
    links = "".join(f'<li><a href="#{part.anchor}">{escape(part.heading)}</a></li>' for part in parts)
    contents = f'<nav aria-label="Contents"><ul>{links}</ul></nav>' if len(parts) > 1 else ""
    under = f'<p class="lead">{escape(lead)}</p>' if lead else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body>{banner}<header><h1>{escape(title)}</h1>{under}{contents}</header>\n<main>"
        + "\n".join(map(str, parts))
        + f"</main>\n{banner}</body></html>\n"
    )


def section(heading: str, *parts: str, text: str = "") -> PagePart:
    """A heading, a paragraph and what follows."""
    return PagePart(heading, paragraphs(text) + "".join(parts))


def paragraphs(*texts: str) -> str:
    """Plain sentences."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text)


def code(text: str) -> str:
    """Lines to type."""
    return f"<pre>{escape(text)}</pre>"


def cards(facts: Sequence[tuple[str, str]]) -> str:
    """A few large figures with their names."""
    return '<dl class="cards">' + "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts
    ) + "</dl>"  # fmt: skip


def facts_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True) -> str:
    """A table of text that scrolls by itself; all columns but the first are numbers, to the right, unless they are
    not."""
    kind = [""] + [' class="n"' if numbers else ""] * (len(heads) - 1)
    named = "".join(f"<th{k}>{escape(h)}</th>" for k, h in zip(kind, heads, strict=True))
    head = f"<thead><tr>{named}</tr></thead>" if any(heads) else ""
    body = "".join(
        "<tr>" + "".join(f"<td{k}>{escape(cell)}</td>" for k, cell in zip(kind, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table class="facts">{head}<tbody>{body}</tbody></table></div>'


def figures(pictures: Sequence[tuple[str, str]]) -> str:
    """Pictures with captions, as many side by side as there is room for."""
    shown = "".join(f"<figure><figcaption>{escape(c)}</figcaption>{drawn}</figure>" for c, drawn in pictures)
    return f'<div class="pictures">{shown}</div>'
