"""Ten thousand requests nobody would send: none ends in a 500, a traceback or a silence."""

import random

import pytest
from served import SMALL, accounts, client, login, shelf

PATHS = ("/", "/releases/{r}", "/releases/{r}/ask", "/releases/{r}/cross", "/releases/{r}/rows", "/plan", "/owner",
         "/curator", "/login", "/logout", "/help", "/assets/{r}", "/owner/purse", "/api/v1/health", "/api/v1/releases",
         "/api/v1/releases/{r}", "/api/v1/releases/{r}/ask", "/api/v1/releases/{r}/file", "/api/v1/releases/{r}/sample",
         "/api/v1/releases/{r}/report", "/api/v1/plan", "/api/v1/curator/ask", "/api/v1/curator/purse")  # fmt: skip
NAMES = (
    "q", "a", "b", "n", "rows", "seed", "count", "confidence", "format", "simultaneous", "part", "name",
    "domain", "epsilon", "delta", "workload", "answers", "password", "next", "form_token", "questions", "question",
)  # fmt: skip
TEXTS = (
    "", "0", "-1", "1e999", "nan", "true", "null", "smoker", "age >= 65", "SELECT count(*) FROM t", "'", '"', "%",
    "\x00",
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "é" * 40, "(" * 200, "NOT " * 80, "a" * 490,
    "<script>",
    "SELECT region, sex, age, smoker, count(*) FROM t GROUP BY 1, 2, 3, 4", "../../etc/passwd", "x; DROP TABLE t",
    "table: t\nattributes: {a: {kind: boolean}}", "{" * 100, "[" * 100, "&a [*a, *a]", "share of smoker among sex",
    "SELECT * FROM t", "1 = 1", "smoker OR NOT smoker",
    "region IN (" + ", ".join(["'x'"] * 60) + ")", "Infinity", "١٢",
)  # fmt: skip
METHODS = ("GET", "GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS")
HEADERS = (("authorization", "Bearer x"), ("cookie", "hush_session=a.b.c"), ("if-none-match", '"x"'), ("accept", "*/*"),
           ("content-type", "application/json"), ("content-type", "text/plain"), ("origin", "null"),
           ("content-length", "abc"), ("range", "bytes=5-1"))  # fmt: skip


def requests(chance: random.Random, count: int):
    for _ in range(count):
        release = chance.choice(("visits", "rows", "rehearsal", "broken", "nothing", "..%2f..", "%00", "a" * 300))
        fields = {chance.choice(NAMES): chance.choice(TEXTS) for _ in range(chance.randrange(5))}
        body = chance.choice((None, {"data": fields}, {"json": fields}, {"json": list(fields)},
                              {"content": b"\xff{" * 30},
                              {"json": {"questions": list(fields.values())}}))  # fmt: skip
        method = chance.choice(METHODS)
        more = (body or {}) if method in ("POST", "PUT") else {}
        headers = dict(chance.sample(HEADERS, chance.randrange(3)))
        yield method, chance.choice(PATHS).format(r=release), fields, headers, more


@pytest.mark.parametrize("count", [300, pytest.param(9_700, marks=pytest.mark.slow)])
@pytest.mark.parametrize("who", ["here", "ada"])
def test_no_request_ends_in_a_fault(tmp_path, count, who):
    chance, seen = random.Random(f"{count} {who}"), set()
    users = None if who == "here" else accounts(tmp_path)
    with client(shelf(tmp_path), users=users, limits=SMALL) as browser:
        if users is not None:
            login(browser, who)
            kept = dict(browser.cookies)
        for method, path, fields, headers, more in requests(chance, count // 2):
            if users is not None:
                browser.cookies.clear()
                browser.cookies.update(kept)
            said = browser.request(method, path, params=fields, headers=headers, **more)
            assert said.status_code < 500, (method, path, fields, headers, more, said.text)
            assert "Traceback" not in said.text
            seen.add(said.status_code)
    assert {200, 401, 404, 422} <= seen if users else {200, 404, 422} <= seen
