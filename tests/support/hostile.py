"""Cells, lines and objects that have broken readers of tables; every source must survive each of them alone."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas

__all__ = ["CELLS", "JSON_LINES", "LINES", "OBJECTS", "SHEET_CELLS", "SHEET_ROWS", "SHEET_TEXTS"]

LONG = "y" * 3_000_000

# Texts that may stand in a cell of any source that holds text.
CELLS = [
    "", " ", "a", "b", "female", "#83", "# comment", "--", "//", '"', '""', '"x', 'x"', 'x"y"z', "'", "'a'", "'a",
    "`a`",
    "Smith, John", "Smith; John", "a\tb", "a|b", "a\rb", "\r", "a\nb", "a\r\nb", "\n", "\x00", "a\x00b", "\x1a",
    "\x1c",
    "\ufeff", "\ufeffa", "\u2028", "\u00a0a", "é", "e\u0301", "日本", "\U0001f600", "\ufffd", "NA", "N/A", "null",
    "NULL",
    "None", "nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "1e-999", "-0", "-0.0", "+5", "5", "05",
    "5.0",
    "5.", ".5", "2.5", "2.50", "2.500000", "2,5", "1.000,5", "1,000", "1_000", "0x10", "1e2", "１２", "٣", "true",
    "TRUE",
    "T", "yes", "maybe", "1", "0", "1.0", "9" * 400, "9" * 5000, str(2**63), str(2**64), "=1+1", "\\", '\\"', "\\N",
    "other", "missing", "2020-01-01", "2020-13-45", "{}", "[", '{"a": 1}', "x:1, default:0", "default:2", "z:1", LONG,
]  # fmt: skip

# Whole lines of a CSV file with the columns name, sex, age, dose, pay, smoker, url, choice: raw bytes without line end.
LINES = [
    b"", b" ", b",", b",,,,,,,", b",,,,,,,,,,,,,,,,", b"#a,female,5,2.5,1,true,u,default:1", b"a", b'"', b'"a',
    b'a,"',
    b'"a,female,5,2.5,1,true,u,default:1', b'a,female,5,2.5,"1,true,u', b'a,"fe""male",5',
    b'"a"x,female,5,2.5,1,true',
    b'a,female,5,2.5,1,true,u,default:1,more', b"a,female,5,2.5,1,true,u,default:1,", b"a;female;5;2.5;1;true;u;d",
    b"a\tfemale\t5", b'Smith, John,female,5,2.5,1,true,u,default:1', b'"Smith, John",female,5,2.5,1,true,u,default:1',
    b'  "a"  ,female,5,2.5,1,true,u,default:1', b"a,female,5,2.5,1,true,u\r", b"a\rb,female,5", b"\r", b"\x00",
    b"\xff\xfe",
    b"a\xe9,female\xff,5,2.5", b"\xef\xbb\xbfa,female,5,2.5,1,true,u,default:1", b"\xc3", b"a,female,\xf0\x9f,2.5,1",
    b"name,sex,age,dose,pay,smoker,url,choice", b'""', b'"",""', b'"""', b'""""', b'"a""', b"'a,b',female,5",
    b"\\", b'\\"',
    b"a,female,5,2.5,1,true," + b"u" * 3_000_000, b"x" * 5_000_000, b"," * 100_000, b'"' * 100_001, b"9" * 5000,
]  # fmt: skip

# Whole lines of a JSON-lines file: raw bytes without line end. The flag says whether the line is one JSON value.
JSON_LINES = [
    (b"", False), (b" ", False), (b"{", False), (b"}", False), (b"[", False), (b"[" * 5000, False), (b"oops", False),
    (b"{}", True), (b"null", True), (b"5", True), (b'"x"', True), (b"[1, 2]", True), (b'{"": 1}', True),
    (b'{"AGE": 5, "Name": "a"}', True), (b'{"age": 5, "age": 7}', True), (b'{"age": NaN}', False),
    (b'{"age": 1e999}', True), (b'{"age": {"x": [1, {"y": null}]}}', True), (b'{"name": "\\ud800"}', True),
    (b'{"name": "a\\u0000b"}', True), (b'{"name": "a\\nb"}', True), (b'{"name": "\xff"}', False), (b"\x00", False),
    (b'{"name": "]"}', True), (b'{"name": "},{"}', True), (b'{"name": "\\""}', True), (b'{"name": "\\\\"}', True),
    (b'{"age": ' + b"9" * 5000 + b"}", True), (b'{"name": "' + b"y" * 3_000_000 + b'"}', True),
    (b'{"name": "' + b"y" * 5_000_000 + b'"}', True),
    (b"{" + b", ".join(b'"k%d": 1' % i for i in range(300)) + b"}", True),
    (b'{"a":' * 3000 + b"1" + b"}" * 3000, True), (b'{"name": "a"} {"name": "b"}', False), (b'{"name": "a"},', False),
    (b'{"dose": 2.50, "pay": 2.5e0, "smoker": true, "age": 5.0}', True), (b'{"dose": "2.50", "smoker": "yes"}', True),
]  # fmt: skip


class Rude:
    """An object that has no text."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


# Python objects that may stand in a column of objects.
OBJECTS = [
    None, True, False, 0, 5, -1, 2.5, 1.0, float("nan"), float("inf"), -0.0, 2**53 + 1, 2**63, 2**64, -(2**70),
    10**5000,
    Decimal("2.5"), Decimal("2.50"), Decimal("0.5"), Decimal("1.125"), Decimal("2.500000"), Decimal("NaN"),
    Decimal("Infinity"), Decimal("1E+500"), Decimal("1E-500"), Decimal("-0.0"), complex(1, 2), complex(2.5, 0), b"a",
    b"\xff\xfe", bytearray(b"a"), np.float32(0.1), np.float64(2.5), np.int8(5), np.bool_(True), np.str_("a"),
    np.array([1, 2]),
    np.datetime64("2020-01-01"), dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), dt.timedelta(1), pandas.NA, pandas.NaT,
    pandas.Timestamp("2020-01-01"), "\ud800", "a\ud800", [], ["a"], ("a",), {"a": 1}, {"a"}, object, Rude(), *CELLS,
]  # fmt: skip

# Cells of a sheet, as raw XML, that no spreadsheet program writes; {} is where the cell is.
SHEET_CELLS = [
    b'<c r="{}" t="n"><v>abc</v></c>', b'<c r="{}"><v>12,5</v></c>', b'<c r="{}"><v>1e400</v></c>',
    b'<c r="{}"><v>-</v></c>', b'<c r="{}"><v>1_000</v></c>', b'<c r="{}"><v>' + b"9" * 5000 + b"</v></c>",
    b'<c r="{}"><v> 5 </v></c>', b'<c r="{}"><v/></c>', b'<c r="{}"/>', b'<c r="{}"><v>NaN</v></c>',
    b'<c r="{}" t="d"><v>2020-13-45</v></c>', b'<c r="{}" t="d"><v>soon</v></c>', b'<c r="{}" t="d"><v></v></c>',
    b'<c r="{}" t="d"><v>2020-01-31T25:00:00Z</v></c>', b'<c r="{}" t="d"><v>PT5H</v></c>',
    b'<c r="{}" t="s"><v>999999</v></c>', b'<c r="{}" t="s"><v>-1</v></c>', b'<c r="{}" t="s"><v>x</v></c>',
    b'<c r="{}" t="s"><v>1.5</v></c>', b'<c r="{}" t="s"/>', b'<c r="{}" t="s"><v>' + b"9" * 5000 + b"</v></c>",
    b'<c r="{}" t="b"><v>maybe</v></c>', b'<c r="{}" t="b"><v>2</v></c>', b'<c r="{}" t="e"><v>#DIV/0!</v></c>',
    b'<c r="{}" t="zz"><v>5</v></c>', b'<c r="{}" t=""><v>5</v></c>', b'<c r="{}" s="99999"><v>5</v></c>',
    b'<c r="{}" s="-1"><v>5</v></c>', b'<c r="{}" s="x"><v>5</v></c>', b'<c r="{}" s="1"><v>1e300</v></c>',
    b'<c r="{}" s="2"><v>-5</v></c>', b'<c r="{}" s="4"><v>1e300</v></c>', b'<c r="{}" s="1"><v>abc</v></c>',
    b'<c r="{}" s="4"><v>0.5</v></c>', b'<c r="{}" t="inlineStr"><is><t>a</t></is></c>',
    b'<c r="{}" t="inlineStr"><is/></c>', b'<c r="{}" t="inlineStr"><v>a</v></c>',
    b'<c r="{}" t="inlineStr"><is><r><t>a</t></r><rPh><t>b</t></rPh></is></c>', b'<c r="{}" t="str"><f>1/0</f></c>',
    b'<c r="{}" t="str"><f>A1</f><v>a_x0000_b_xD800_</v></c>', b'<c r="{}"><v>5</v><v>6</v></c>',
    b'<c r=""><v>5</v></c>', b'<c r="ZZZZZZZZZ1"><v>5</v></c>', b'<c r="XFD1048576"><v>5</v></c>',
    b'<c r="1A"><v>5</v></c>', b"<c><v>5</v></c>", b'<c r="A1"><v>5</v></c>', b'<c r="{}" r="B1"><v>5</v></c>',
    b'<c r="{}"><v>&#0;</v></c>', b'<c r="{}"><v>&bomb;</v></c>', b'<c r="{}"><v>\x0b</v></c>',
    b'<c r="{}" t="str"><v>\xff\xfe</v></c>', b'<c r="{}" t="str"><v>a & b</v></c>', b'<c r="{}"><v>5</c>',
    b'<c r="{}"><v>5', b'<c r="{}" t=n><v>5</v></c>', b'<c r="{}" t="str"><v><![CDATA[a]]></v></c>',
    b'<c r="{}" t="str"><v><![CDATA[</row>]]></v></c>', b'<c r="{}" t="str"><v><!-- </v></c>',
    b'<c r="{}" t="str"><v></sheetData></worksheet></v></c>', b'<c r="{}" t="str"><v>' + b"y" * 3_000_000 + b"</v></c>",
    b'<c r="{}"><!DOCTYPE a [<!ENTITY b "bb">]><v>5</v></c>', b"<c>" * 3000, b"<?php ?>", b"\x00",
]  # fmt: skip

# Texts of the list that all rows of a workbook share, raw.
SHEET_TEXTS = [
    b"<si/>", b"<si></si>", b"<si><t/></si>", b"<si><t>a</t>", b"<si><t>a</si>", b"<si><t>&#0;</t></si>",
    b"<si><t>a & b</t></si>", b"<si><t>&bomb;</t></si>", b"<si><t>\xff</t></si>", b"<si><t>\x00</t></si>",
    b"<si><t>_x000D_</t></si>", b"<si><t>_xDEAD_</t></si>", b"<si><r><t>a</t></r><r><t>b</t></r></si>",
    b"<si><t>a</t><rPh><t>b</t></rPh></si>", b"<si><t>a</t></sst></si>", b"<si><!-- </si>", b"<si><t>5</t></si>",
    b"<si><t>" + b"y" * 3_000_000 + b"</t></si>", b"<si><t>" + b"y" * 5_000_000 + b"</t></si>",
    b'<si><t xml:space="preserve"> a </t></si>', b"<si><t>Smith, John</t></si>", b"<si><t>2020-13-45</t></si>",
]  # fmt: skip

# Whole rows of a sheet, raw.
SHEET_ROWS = [
    b"<row/>", b"<row></row>", b'<row r="1048576"/>', b'<row r="0"></row>', b'<row r="x"><c><v>5</v></c></row>',
    b"<row>", b"<row><c>", b"<row <c><v>5</v></c></row>", b'<row r="2><c><v>5</v></c></row>', b"<row>\x00</row>",
    b'<row hidden="1"><c><v>5</v></c></row>', b"<row><!-- </row>", b"<row><![CDATA[ </row>",
    b"<row></sheetData></worksheet></row>", b"<row>&bomb;</row>", b"<row>" + b"<c><v>5</v></c>" * 20_000 + b"</row>",
    b"<row><c t='str'><v>" + b"y" * 5_000_000 + b"</v></c></row>", b"<row>" + b" " * 6_000_000, b"<row></rowBreaks>",
    b"<row>" + b"<c>" * 5000 + b"</row>", b"<row><?xml version='1.0' encoding='utf-16'?></row>",
]  # fmt: skip
