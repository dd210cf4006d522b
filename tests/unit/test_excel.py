"""Excel files are read as other programs read them, and what is damaged in one cell stays in that cell."""

import random
import zipfile
from datetime import date, datetime, time, timedelta

import pytest
from made_workbook import MAIN, cell, made_workbook, row_of
from openpyxl import Workbook, load_workbook

from hushtable.domain import Domain
from hushtable.domain.attributes import canonical
from hushtable.errors import BadData
from hushtable.vault.sources import excel_pieces, open_source
from hushtable.vault.sources.excel_cells import place_of

NAMES = row_of([cell("a"), cell("b"), cell("c")])


def rows_of(path):
    source = open_source(path)
    found = [tuple(row.values()) for batch in source.batches(source.columns) for row in batch.to_pylist()]
    assert source.count() == len(found)
    return found


def one(raw, tmp_path, **more):
    """What a cell says that stands between an ordinary number and an ordinary text."""
    (row,) = rows_of(made_workbook(tmp_path / "t.xlsx", [NAMES, row_of([cell(5), (raw, False), cell("x")])], **more))
    assert (row[0], row[2]) == ("5", "x")
    return row[1]


def test_cells_that_contradict_their_type_are_missing_and_the_others_of_their_row_are_not(tmp_path):
    for kind, text in [
        ("n", "abc"), ("n", "12,5"), ("n", "1_0"), ("n", "9" * 5000), ("d", "2020-13-45"), ("d", "soon"), ("s", "999"),
        ("s", "-1"), ("s", "x"), ("b", "maybe"), ("zz", "5"),
    ]:  # fmt: skip
        assert one(f'<c r="{{}}" t="{kind}"><v>{text}</v></c>'.encode(), tmp_path) is None, (kind, text)


def test_cells_of_every_type(tmp_path):
    for raw, value in [
        (b"<v>5</v>", "5"), (b"<v>2.5000000000000001E-2</v>", "0.025"), (b"<v>5.0</v>", "5"), (b"<v>-.5</v>", "-0.5"),
        (b' t="b"><v>1</v>', "true"), (b' t="e"><v>#N/A</v>', "#N/A"), (b' t="str"><f>A1&amp;B1</f><v>x</v>', "x"),
        (b' t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r><rPh><t>z</t></rPh></is>', "ab"),
        (b' t="str"><v>a_x000A_b</v>', "a\nb"), (b' t="d"><v>2024-01-31</v>', "2024-01-31"),
        (b' t="d"><v>2024-01-31T08:30:00</v>', "2024-01-31 08:30:00"), (b' s="1"><v>45322</v>', "2024-01-31 00:00:00"),
        (b' s="2"><v>45322.354166666664</v>', "2024-01-31 08:30:00"), (b' s="3"><v>5</v>', "5"),
        (b' s="4"><v>1.5</v>', "1 day, 12:00:00"), (b' s="1"><v>0.5</v>', "12:00:00"),
        (b' s="1"><v>1</v>', "1900-01-01 00:00:00"), (b' s="1"><v>61</v>', "1900-03-01 00:00:00"), (b"", None),
    ]:  # fmt: skip
        whole = b'<c r="{}"' + (raw if raw.startswith(b" ") else b">" + raw) + b"</c>"
        assert one(whole, tmp_path) == value, raw


def test_days_since_1904(tmp_path):
    book = f'<workbook xmlns="{MAIN}" xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="t" r:id="rId7"/>'
    book = (book + "</sheets></workbook>").encode()
    assert one(b'<c r="{}" s="1"><v>43860</v></c>', tmp_path, book=book) == "2024-01-31 00:00:00"


def test_ordinary_sheets_are_read_as_another_library_reads_them(tmp_path):
    luck = random.Random(7)
    values = [
        None, 0, -5, 2**40, 0.1, 1 / 3, 1e-300, 1e300, True, False, "x", " padded ", "Zoë & <co>", "=", "1",
        date(2024, 2, 29), datetime(1999, 12, 31, 23, 59, 58), time(8, 30), timedelta(hours=30), "a\nb", "日本",
    ]  # fmt: skip
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append([f"c{i}" for i in range(12)])
    for _ in range(400):
        sheet.append([luck.choice(values) for _ in range(luck.randrange(13))])
    sheet.append(["the last line is not blank"])
    book.create_sheet("another").append(["never read"])
    book.save(tmp_path / "t.xlsx")
    lines = list(load_workbook(tmp_path / "t.xlsx").worksheets[0].iter_rows(min_row=2, values_only=True))
    assert rows_of(tmp_path / "t.xlsx") == [tuple(map(canonical, line)) for line in lines]


def test_names_with_a_prefix(tmp_path):
    rows = [NAMES, row_of([cell(5), cell("y"), cell(None)])]
    assert rows_of(made_workbook(tmp_path / "t.xlsx", rows, prefix="x")) == [("5", "y", None)]


@pytest.mark.parametrize("size", [70, 200, 5000])
def test_blocks_do_not_matter(size, tmp_path, monkeypatch):
    rows = [row_of([cell(i), cell(f"t{i}"), cell(None)]) for i in range(200)]
    path = made_workbook(tmp_path / "t.xlsx", [NAMES, *rows])
    monkeypatch.setattr(excel_pieces, "BLOCK_BYTES", size)
    assert rows_of(path) == [(str(i), f"t{i}", None) for i in range(200)]


@pytest.mark.parametrize("size", [70, 1000, 1 << 20])
def test_rows_up_to_the_limit_are_read_and_longer_ones_are_missing(size, tmp_path, monkeypatch):
    monkeypatch.setattr(excel_pieces, "LONGEST", 2000)
    monkeypatch.setattr(excel_pieces, "BLOCK_BYTES", size)
    empty = len(row_of([(b'<c t="str"><v></v></c>', False)])[0])
    lengths = [1, 2000 - empty, 2001 - empty, 9000, 1]
    rows = [row_of([(b'<c t="str"><v>' + b"y" * n + b"</v></c>", False)]) for n in lengths]
    found = rows_of(made_workbook(tmp_path / "t.xlsx", [NAMES, *rows]))
    assert [row[0] and len(row[0]) for row in found] == [1, 2000 - empty, None, None, 1]


def test_a_row_may_be_blank_and_its_number_does_not_matter(tmp_path):
    path = made_workbook(tmp_path / "t.xlsx", [NAMES, (b'<row r="1048576"/>', []), (b'<row r="3"></row>', [])])
    assert rows_of(path) == [(None, None, None)] * 2


def test_places():
    assert [place_of(text) for text in ("A1", "Z", "AA7", "XFD1048576", "a1", "", "1A", "AAAA1")] == [
        0, 25, 26, 16_383, None, None, None, None,
    ]  # fmt: skip


BOMB = b'<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("part", ["book", "styles"])
def test_a_part_that_declares_entities_is_refused(part, tmp_path):
    with pytest.raises(BadData, match=r"cannot read .*t\.xlsx"):
        rows_of(made_workbook(tmp_path / "t.xlsx", [NAMES], **{part: BOMB + b"<s>&b;</s>"}))


def test_entities_of_a_sheet_or_a_list_of_texts_are_never_read(tmp_path):
    strings = BOMB + f'<sst xmlns="{MAIN}">'.encode() + b"<si><t>&b;</t></si><si><t>b</t></si><si><t>c</t></si></sst>"
    path = made_workbook(tmp_path / "t.xlsx", [NAMES, row_of([cell(1), cell(2), cell(3)])], strings=strings)
    assert list(open_source(path).columns) == ["", "b", "c"]


def test_damaged_files_say_so_in_one_line(tmp_path):
    path = tmp_path / "t.xlsx"
    for content in (b"", b"PK", b"name,age\n1,2\n", b"PK\x05\x06" + b"\0" * 18):
        path.write_bytes(content)
        with pytest.raises(BadData, match="damaged or not what its ending says"):
            rows_of(path)
    made_workbook(path, [])
    with pytest.raises(BadData, match="its first line must name the columns"):
        rows_of(path)
    made_workbook(path, [NAMES], book=f'<workbook xmlns="{MAIN}"/>'.encode())
    with pytest.raises(BadData, match="has no sheet of cells"):
        rows_of(path)
    whole = made_workbook(path, [NAMES, row_of([cell("secret"), cell(2), cell(3)])]).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadData, match="damaged") as caught:
        rows_of(path)
    assert "secret" not in str(caught.value)


def test_errors_about_columns_do_not_show_the_first_line_which_may_be_a_row(tmp_path):
    domain = Domain.from_dict({"table": "t", "attributes": {"age": {"kind": "integer", "between": [0, 99]}}})
    path = made_workbook(tmp_path / "t.xlsx", [row_of([cell("secret"), cell(5)]), row_of([cell("x"), cell(6)])])
    with pytest.raises(BadData, match="the domain has age but the data have no such column; the first line") as caught:
        open_source(path, domain).check(domain)
    assert "secret" not in str(caught.value)
    twice = made_workbook(tmp_path / "t.xlsx", [row_of([cell("age"), cell("age")])])
    with pytest.raises(BadData, match="two columns named age"):
        open_source(twice, domain).check(domain)


def test_a_part_that_is_not_what_its_checksum_says_is_damaged(tmp_path):
    path = made_workbook(tmp_path / "t.xlsx", [NAMES])
    with zipfile.ZipFile(path) as file:
        info = file.getinfo("xl/worksheets/sheet1.xml")
    raw = bytearray(path.read_bytes())
    raw[info.header_offset + 30 + len(info.filename) + 5] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(BadData, match="damaged"):
        rows_of(path)
