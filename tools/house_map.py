"""A map of the house: writes the table of folders in CONTRIBUTING.md and the picture docs/house.svg from the source."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

from house import MATHS, RANKS, SRC, VAULT, Ranks, imported_rooms, rank

__all__ = ["picture", "table", "with_table", "write"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
PICTURE = ROOT / "docs" / "house.svg"
BEGIN = "<!-- The map of the house, by tools/house_map.py (`make docs`); edits here are lost. -->"
END = "<!-- End of the map. -->"

# Sizes of the picture, in pixels.
WIDTH, LEFT, TOP, LANE, FLOOR, BOX, TALL = 860, 40, 80, 30, 50, 108, 32
INK, FAINT, LINE, PAPER, BAND, FILL = "#1f2933", "#5f6c7b", "#52749a", "#ffffff", "#f3f6f9", "#e3edf7"
TRUSTED, TRUSTED_FILL = "#b4541a", "#fdeadb"


def table(src: Path = SRC) -> str:
    """Every folder, from the ground up: its rank, what lives there, what it may import."""
    lines = ["| rank | folder | what lives there | may import |", "|---|---|---|---|"]
    for number, names in enumerate(RANKS):
        for name in names:
            folder = src / name
            if not folder.is_dir():
                lines.append(f"| {number} | `{name}.py` | {_sentence(src / f'{name}.py')} | {_allowed(name)} |")
                continue
            lines.append(f"| {number} | **`{name}/`** | {_sentence(folder / '__init__.py')} | {_allowed(name)} |")
            for inner in _inner(folder):
                may = _among(inner.name, MATHS) if name == "maths" else ""
                lines.append(f"| | · `{inner.name}/` | {_sentence(inner / '__init__.py')} | {may} |")
    return "\n".join(lines)


def with_table(page: str, made: str) -> str:
    """The page with a new table between its two marks."""
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise SystemExit(f"{PAGE.name} has lost a mark of the map: {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def picture(src: Path = SRC) -> str:
    """Stairs: a room to a step, above all that it imports; a dot where its line meets that of a room it imports."""
    rooms = [name for names in RANKS[1:] for name in names]
    real = imported_rooms(src)
    parts = [*_floors(), *_ground()]
    for index, name in enumerate(rooms):
        users = [step for step, other in enumerate(rooms) if step > index and name in real[other]]
        if users:
            x, colour = _lane(index), _colour(name)
            parts.append(_line(x, _middle(index) - TALL / 2, x, _middle(users[-1]), colour))
    for index, name in enumerate(rooms):
        used = [step for step, other in enumerate(rooms) if step < index and other in real[name]]
        if used:
            parts.append(_line(_lane(used[0]), _middle(index), _corner(index), _middle(index), LINE))
        parts += [_dot(_lane(step), _middle(index), _colour(rooms[step])) for step in used]
    for index, name in enumerate(rooms):
        parts += _box(index, name, _sentence(src / name / "__init__.py"))
    height = _middle(0) + FLOOR / 2 + FLOOR + 12
    return "\n".join([*_opening(height), *parts, "</svg>", ""])


def write() -> None:
    """Both, in their places."""
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), table()), "utf-8")
    PICTURE.write_text(picture(), "utf-8")


def _sentence(path: Path) -> str:
    """The first sentence of a module's docstring."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split())
    return re.split(r"(?<=\.) ", text, maxsplit=1)[0].replace("|", "\\|")


def _inner(folder: Path) -> list[Path]:
    """The packages inside a folder, those of the maths by rank."""
    inner = sorted(path.parent for path in folder.glob("*/__init__.py"))
    return sorted(inner, key=lambda path: rank(path.name, MATHS)) if folder.name == "maths" else inner


def _allowed(name: str) -> str:
    mine = rank(name)
    if mine == 0:
        return "each other"
    text = "rank 0" if mine == 1 else f"ranks 0 {'and' if mine == 2 else 'to'} {mine - 1}"
    if mine <= rank("vault"):
        return text
    seen = ", ".join(f"`{part}`" for part in VAULT.get(name, ()))
    return f"{text}; of the vault only {seen}" if seen else f"{text}, but nothing of the vault"


def _among(name: str, ranks: Ranks) -> str:
    below = [f"`{other}`" for names in ranks[: rank(name, ranks)] for other in names]
    return f"of the maths {', '.join(below)}" if below else "of the maths nothing"


def _opening(height: float) -> list[str]:
    alt = "The rooms of the package as stairs; lines and dots show which room imports which."
    legend = "A dot: the room at the right end of the line imports the room at the foot of the column."
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}"'
        f' font-family="Helvetica, Arial, sans-serif" role="img">',
        "<!-- Made by tools/house_map.py (make docs) from the imports of the package. -->",
        f"<title>{alt}</title>",
        f'<rect width="{WIDTH}" height="{height:g}" fill="{PAPER}"/>',
        _text(LEFT, 26, "Imports go down, never up", size=18, weight="bold"),
        _text(LEFT, 48, legend, size=14, colour=FAINT),
        _text(
            LEFT, 66, "In orange: the trusted code, of which only named parts are seen outside.", size=14, colour=FAINT
        ),
    ]


def _floors() -> list[str]:
    """A band for each rank, every other one shaded, with its number."""
    parts, step = [], 0
    for number, names in enumerate(RANKS[1:], start=1):
        bottom, top = _middle(step) + FLOOR / 2, _middle(step + len(names) - 1) - FLOOR / 2
        if number % 2 == 0:
            parts.append(f'<rect x="8" y="{top:g}" width="{WIDTH - 16}" height="{bottom - top:g}" fill="{BAND}"/>')
        parts.append(_text(28, (top + bottom) / 2 + 4, str(number), size=14, colour=FAINT, anchor="end"))
        step += len(names)
    return parts


def _ground() -> list[str]:
    """What everything stands on, so that no lines are needed."""
    y = _middle(0) + FLOOR / 2 + 4
    names = "   ".join(RANKS[0])
    return [
        f'<rect x="{LEFT}" y="{y:g}" width="{WIDTH - LEFT - 16}" height="{FLOOR - 8}" rx="4" fill="{INK}"/>',
        _text(28, y + 26, "0", size=14, colour=FAINT, anchor="end"),
        _text(LEFT + 14, y + 26, names, size=16, weight="bold", colour=PAPER, keep=True),
        _text(WIDTH - 30, y + 26, "what every room may use", size=14, colour="#cbd5df", anchor="end"),
    ]


def _box(index: int, name: str, says: str) -> list[str]:
    x, y = _corner(index), _middle(index)
    colour, fill = (TRUSTED, TRUSTED_FILL) if name == "vault" else (LINE, FILL)
    shape = f'x="{x:g}" y="{y - TALL / 2:g}" width="{BOX}" height="{TALL}" rx="4"'
    parts = [f'<rect {shape} fill="{fill}" stroke="{colour}" stroke-width="1.5"/>']
    parts.append(_text(x + BOX / 2, y + 5, name, size=16, weight="bold", anchor="middle"))
    after = x + BOX + 12
    # A letter of 14 pixels is about 6.8 wide; three lines fit a floor.
    lines = textwrap.wrap(says.replace("`", ""), width=int((WIDTH - 12 - after) / 6.8), max_lines=3, placeholder=" ...")
    first = y + 5 - 8 * (len(lines) - 1)
    return parts + [_text(after, first + 16 * i, line, size=14, colour=FAINT) for i, line in enumerate(lines)]


def _corner(index: int) -> float:
    return LEFT + LANE * index


def _lane(index: int) -> float:
    return _corner(index) + 15


def _middle(index: int) -> float:
    steps = sum(map(len, RANKS[1:]))
    return TOP + FLOOR * (steps - index - 0.5)


def _colour(name: str) -> str:
    return TRUSTED if name == "vault" else LINE


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="1.3" stroke-opacity="0.75"/>'


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{colour}"/>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int,
    colour: str = INK,
    weight: str = "normal",
    anchor: str = "start",
    keep: bool = False,
) -> str:
    spaces = ' xml:space="preserve"' if keep else ""
    look = f'font-size="{size}" font-weight="{weight}" fill="{colour}" text-anchor="{anchor}"'
    return f'<text x="{x:g}" y="{y:g}" {look}{spaces}>{escape(text)}</text>'


if __name__ == "__main__":
    write()
