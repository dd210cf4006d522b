"""Workbooks made by hand, byte by byte: what a file may hold that no library writes."""

from __future__ import annotations

import zipfile
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["cell", "made_workbook", "row_of"]

HEAD = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt
numFmtId="165" formatCode="[Red]0.0&quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="46"/><xf/></cellXfs>
</styleSheet>"""

SHARED = b'<c r="{}" t="s"><v>@</v></c>'

# A cell, and whether it is a text that goes to the list which all rows share; {} is its place.
Cell = tuple[bytes, bool]
# A row, and its shared texts; each @ is the number of the next one.
Row = tuple[bytes, list[bytes]]


def cell(value: object) -> Cell:
    """An ordinary cell of this value."""
    if value is None:
        return b'<c r="{}" s="0"/>', False
    if isinstance(value, bool):
        return b'<c r="{}" t="b"><v>%d</v></c>' % value, False
    if isinstance(value, (int, float, Decimal)):
        return b'<c r="{}"><v>%s</v></c>' % str(value).encode(), False
    return b"<si><t>%s</t></si>" % escape(str(value)).encode(), True


def row_of(cells: list[Cell]) -> Row:
    """The row of these cells, from the first column on."""
    raw, texts = [], []
    for i, (content, shared) in enumerate(cells):
        if shared:
            texts.append(content)
        raw.append((SHARED if shared else content).replace(b"{}", b"%c7" % (ord("A") + i)))
    return b'<row r="7" spans="1:8" x14ac:dyDescent="0.25">' + b"".join(raw) + b"</row>", texts


def made_workbook(path: Path, rows: list[Row], prefix: str = "", **more: bytes) -> Path:
    """A file of one sheet with these rows; `more` are parts to put in instead: sheet, strings, styles, book."""
    raw: list[bytes] = []
    texts: list[bytes] = []
    for row, own in rows:
        begun, *rest = row.split(b"@") if own else [row]
        raw.append(begun + b"".join(b"%d" % (len(texts) + i) + more for i, more in enumerate(rest)))
        texts += own
    named = f"{prefix}:" if prefix else ""
    space = f'xmlns{":" + prefix if prefix else ""}="{MAIN}"'
    inside = b"".join(raw)
    if named:
        for name in (b"row", b"c", b"v"):
            inside = inside.replace(b"</" + name + b">", b"</" + named.encode() + name + b">")
            for end in (b" ", b">"):
                inside = inside.replace(b"<" + name + end, b"<" + named.encode() + name + end)
    sheet = f"<{named}worksheet {space}><{named}sheetData>".encode() + inside
    sheet += f"</{named}sheetData><{named}rowBreaks/></{named}worksheet>".encode()
    strings = f'<sst xmlns="{MAIN}">'.encode() + b"".join(texts) + b"</sst>"
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="t" r:id="rId7"/></sheets></workbook>'
    parts = {
        "_rels/.rels": _links({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/_rels/workbook.xml.rels": _links(
            {
                "rId7": ("worksheet", "/xl/worksheets/sheet1.xml"),
                "rId8": ("sharedStrings", "sharedStrings.xml"),
                "rId9": ("styles", "styles.xml"),
            }
        ),
        "xl/workbook.xml": more.get("book", book.encode()),
        "xl/worksheets/sheet1.xml": more.get("sheet", HEAD + sheet),
        "xl/sharedStrings.xml": more.get("strings", HEAD + strings),
        "xl/styles.xml": more.get("styles", HEAD + STYLES.encode()),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, part in parts.items():
            file.writestr(member, part)
    return path


def _links(links: dict[str, tuple[str, str]]) -> bytes:
    inside = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{k}" Target="{t}"/>' for i, (k, t) in links.items())
    return f'<Relationships xmlns="{PACKAGE}">{inside}</Relationships>'.encode()
