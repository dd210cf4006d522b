"""Cells, lines and objects that have broken readers of tables; every source must survive each of them alone."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas

__all__ = ["CELLS", "JSON_LINES", "LINES", "OBJECTS"]

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
