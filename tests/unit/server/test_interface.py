"""The HTTP interface: the same numbers as `hush ask`, one shape of errors, limits, and nothing that changes."""

import io

import pyarrow as pa
import pyarrow.csv
import pytest
from served import SMALL, client, message, shelf

import hushtable as ht


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return shelf(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def browser(folder):
    with client(folder, limits=SMALL) as made:
        yield made


QUESTIONS = [
    "smoker",
    "smoker AND age >= 65",
    "SELECT count(*) FROM t WHERE sex = 'male'",
    "SELECT region, count(*) FROM t GROUP BY region",
    "SELECT sex, avg(age), count(*) FROM t GROUP BY sex",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_the_one_of_the_file(browser, folder, question):
    said = browser.get("/api/v1/releases/visits/ask", params={"q": question, "confidence": 0.9})
    assert said.status_code == 200
    assert said.json() == ht.load(folder / "visits.hush").ask(question).to_dict(0.9)


def test_many_questions_in_one_request_and_errors_in_their_places(browser):
    said = browser.post("/api/v1/releases/visits/ask", json={"questions": ["smoker", "smokr", "age >= 20"]})
    first, second, third = said.json()["answers"]
    assert first["value"] is not None
    assert "Did you mean 'smoker'?" in second["error"]["message"]
    assert "nearest edges" in third["error"]["message"]


def test_the_list_names_damaged_files_and_serves_the_others(browser):
    cards = {card["name"]: card for card in browser.get("/api/v1/releases").json()["releases"]}
    assert set(cards) == {"broken", "rehearsal", "rows", "visits"}
    assert "damaged" in cards["broken"]["damaged"]
    assert cards["visits"]["rows"] == 2000
    assert cards["rehearsal"]["not_private"] is True
    assert "damaged" in message(browser.get("/api/v1/releases/broken"))


def test_tables_come_as_csv_and_arrow(browser, folder):
    question = "SELECT region, count(*) FROM t GROUP BY region"
    wanted = ht.load(folder / "visits.hush").ask(question).to_arrow(0.95)
    as_csv = browser.get("/api/v1/releases/visits/ask", params={"q": question, "format": "csv"})
    as_arrow = browser.get("/api/v1/releases/visits/ask", params={"q": question, "format": "arrow"})
    assert pyarrow.csv.read_csv(io.BytesIO(as_csv.content)).column_names == wanted.column_names
    assert pa.ipc.open_stream(as_arrow.content).read_all().equals(wanted)


def test_a_rehearsal_is_stamped_whichever_way_it_leaves(browser):
    said = browser.get("/api/v1/releases/rehearsal/ask", params={"q": "smoker"}).json()
    assert said["not_private"] is True
    assert "NOT PRIVATE" in browser.get("/releases/rehearsal").text
    assert "NOT PRIVATE" in browser.get("/releases/rehearsal/ask", params={"q": "smoker"}).text
    rows = browser.get("/api/v1/releases/rows/sample", params={"rows": 3})
    assert "not-private" in rows.headers["content-disposition"]


def test_synthetic_rows_are_those_of_the_file(browser, folder):
    rows = browser.get("/api/v1/releases/rows/sample", params={"rows": 4000, "seed": 7})
    drawn = io.BytesIO()
    pyarrow.csv.write_csv(ht.load(folder / "rows.hush").sample(4000, seed=7), drawn)
    assert rows.content == drawn.getvalue()
    assert "no distribution over whole rows" in message(browser.get("/api/v1/releases/visits/sample"))


def test_a_release_never_changes_so_neither_do_its_answers(browser):
    for path in ("", "/file", "/report", "/ask?q=smoker"):
        first = browser.get(f"/api/v1/releases/visits{path}")
        again = browser.get(f"/api/v1/releases/visits{path}", headers={"if-none-match": first.headers["etag"]})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_a_file_that_is_replaced_is_read_again(tmp_path, folder):
    own = tmp_path / "own"
    own.mkdir()
    (own / "one.hush").write_bytes((folder / "visits.hush").read_bytes())
    with client(own) as browser:
        first = browser.get("/api/v1/releases/one").json()["digest"]
        (own / "one.hush").write_bytes((folder / "rehearsal.hush").read_bytes())
        (own / "two.hush").write_bytes((folder / "visits.hush").read_bytes())
        assert browser.get("/api/v1/releases/one").json()["digest"] != first
        assert browser.get("/api/v1/releases/two").json()["digest"] == first
        (own / "two.hush").unlink()
        assert browser.get("/api/v1/releases/two").status_code == 404


def test_the_file_is_the_file(browser, folder):
    assert browser.get("/api/v1/releases/visits/file").content == (folder / "visits.hush").read_bytes()


def test_a_plan_is_that_of_the_command(browser):
    domain = "table: t\nattributes:\n  a: {kind: boolean}\n  b: {kind: boolean}\n"
    said = browser.post("/api/v1/plan", json={"domain": domain, "epsilon": "1", "rows": 1000})
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}})
    made = ht.plan(shape, rows=1000, budget=ht.Budget(epsilon=1))
    assert said.json()["forecast"] == made.to_dict()["forecast"]


WRONG = [
    ("GET", "/releases/nothing/ask?q=smoker", None, 404, "no release 'nothing' here; there are: broken"),
    ("GET", "/releases/visit/ask?q=smoker", None, 404, "Did you mean 'visits'?"),
    ("GET", "/releases/..%2Fsecret/file", None, 404, "nothing is at"),
    ("GET", "/releases/%2e%2e/file", None, 404, "no release '..' here"),
    ("GET", "/releases/visits/ask", None, 422, "q: Field required"),
    ("GET", "/releases/visits/ask?q=smoker&confidence=1.5", None, 422, "confidence: Input should be less than 1"),
    ("GET", "/releases/visits/ask?q=smoker&simultaneous=true", None, 422, "simultaneous is for cross-tabs"),
    ("GET", "/releases/visits/ask?q=smoker&format=xml", None, 422, "format"),
    ("GET", f"/releases/visits/ask?q={'a' * 501}", None, 413, "a question may have 500 characters"),
    ("GET", "/releases/visits/ask?q=SELECT age, region, count(*) FROM t GROUP BY age, region", None, 200, ""),
    ("GET", "/releases/rows/sample?rows=5001", None, 413, "5,001 rows are more than the 5,000"),
    ("GET", "/releases/rows/sample?rows=0", None, 422, "rows"),
    ("POST", "/releases/visits/ask", {"questions": ["smoker"] * 6}, 413, "6 questions are more than the 5"),
    ("POST", "/releases/visits/ask", {"questions": []}, 422, "questions"),
    ("POST", "/releases/visits/ask", {}, 422, "questions: Field required"),
    ("POST", "/plan", {"domain": "a: [", "epsilon": "1"}, 400, "the domain"),
    ("POST", "/plan", {"domain": "table: t", "epsilon": "1"}, 400, "attributes"),
    ("POST", "/plan", {"domain": "table: t\nattributes: {a: {kind: boolean}}", "epsilon": "-1"}, 400, "epsilon"),
    ("POST", "/plan", {"domain": "table: t\nattributes: {a: {kind: boolean}}", "epsilon": "1",
                       "workload": "linear(file='/etc/passwd')"}, 400, "reads no files"),
    ("GET", "/curator/purse", None, 404, "no curator is open here"),
    ("DELETE", "/releases", None, 422, "DELETE is not taken"),
    ("GET", "/nowhere", None, 404, "nothing is at /api/v1/nowhere"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "status", "words"), WRONG)
def test_mistakes_are_one_line_in_one_shape(browser, method, path, body, status, words):
    said = browser.request(method, f"/api/v1{path}", json=body)
    assert said.status_code == status, said.text
    if status != 200:
        assert words in message(said)
        assert "\n" not in message(said)
        assert {"kind", "message", "exit_code"} <= set(said.json()["error"])


def test_more_groups_than_the_limit_are_refused(folder):
    from dataclasses import replace

    with client(folder, limits=replace(SMALL, cells=3)) as browser:
        said = browser.get(
            "/api/v1/releases/visits/ask", params={"q": "SELECT region, count(*) FROM t GROUP BY region"}
        )
    assert said.status_code == 413
    assert "groups are more than the 3 of one answer" in message(said)


def test_large_bodies_are_refused(browser):
    said = browser.post("/api/v1/plan", json={"domain": "x" * 30_000, "epsilon": "1"})
    assert said.status_code == 413
    assert "20,000 bytes" in message(said)


def test_the_document_describes_every_way_in(browser):
    document = browser.get("/api/v1/openapi.json").json()
    assert {f"/api/v1/{path}" for path in ("health", "releases", "releases/{name}", "releases/{name}/ask",
            "releases/{name}/sample", "releases/{name}/file", "releases/{name}/report", "plan", "curator/ask",
            "curator/purse", "curator/history")} == set(document["paths"])  # fmt: skip
    assert browser.get("/docs").status_code == 404
