"""Page: sections of text, tables and pictures as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["facts_table", "figures", "page", "section"]

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid #ddd}
svg text{font:11px system-ui,sans-serif}table{border-collapse:collapse;margin:.5rem 0}
td,th{padding:.2rem .7rem;border-bottom:1px solid #e3e3e3;text-align:left}td.n,th.n{text-align:right}
.pictures{display:flex;flex-wrap:wrap;gap:1rem 2rem}figure{margin:0;max-width:100%;overflow-x:auto}
figcaption{font-weight:600}.stamp{background:#b3261e;color:#fff;font-weight:700;padding:.7rem 1rem;font-size:1.1rem}
.note{background:#fdf3dc;padding:.4rem .8rem}
"""


def page(title: str, sections: Sequence[str], *, stamp: str | None = None) -> str:
    """The whole file. A stamp stands above and below everything."""
    banner = f'<p class="stamp">{escape(stamp)}</p>' if stamp else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body>{banner}<h1>{escape(title)}</h1>\n" + "\n".join(sections) + f"\n{banner}</body></html>\n"
    )


def section(heading: str, *parts: str, text: str = "") -> str:
    """A heading, a paragraph and what follows."""
    lead = f"<p>{escape(text)}</p>" if text else ""
    return f"<section><h2>{escape(heading)}</h2>{lead}{''.join(parts)}</section>"


def facts_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text; all columns but the first are numbers, to the right."""
    kind = [""] + [' class="n"'] * (len(heads) - 1)
    head = "".join(f"<th{k}>{escape(h)}</th>" for k, h in zip(kind, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{k}>{escape(cell)}</td>" for k, cell in zip(kind, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def figures(pictures: Sequence[tuple[str, str]]) -> str:
    """Pictures with captions, as many side by side as there is room for."""
    shown = "".join(f"<figure><figcaption>{escape(c)}</figcaption>{svg}</figure>" for c, svg in pictures)
    return f'<div class="pictures">{shown}</div>'
