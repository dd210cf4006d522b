"""Questions to a curator over the server: purses, histories of one's own, a clock, and no rows in this process."""

import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from curators import WIDE_QUESTIONS
from served import accounts, begin_curator, client, login, message

import hushtable as ht
from hushtable.server.client import rebuilt, told
from hushtable.server.problems import PurseEmpty
from hushtable.server.purses import Purses
from hushtable.server.settings import OnlineCurator


@pytest.fixture
def place(tmp_path):
    words = begin_curator(tmp_path)
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    named = dict(zip(words[::2], words[1::2], strict=True))
    curator = OnlineCurator(
        state=Path(named["--curator"]), data=named["--data"], domain=Path(named["--domain"]), tick=0.05
    )
    return shelf, accounts(tmp_path, purse=2), curator


def ask(browser, question):
    return browser.post("/api/v1/curator/ask", json={"question": question})


def test_a_purse_pays_for_paid_answers_only_and_then_refuses(place):
    shelf, users, curator = place
    with client(shelf, users=users, curator=curator) as browser:
        login(browser, "ada")
        seen, refused = [], None
        for question in WIDE_QUESTIONS:
            said = ask(browser, question)
            if said.status_code == 402:
                refused = message(said)
                break
            seen.append(said.json())
        assert [answer["source"] for answer in seen].count("paid") == 2
        assert refused is not None
        assert "your purse of 2 paid answers is used up" in refused
        again = next(answer["question"] for answer in seen if answer["source"] == "paid")
        assert ask(browser, again).json()["source"] == "repeated"
        assert browser.get("/api/v1/curator/purse").json() == {"given": 2, "used": 2, "left": 0}


def test_a_history_is_ones_own(place):
    shelf, users, curator = place
    with client(shelf, users=users, curator=curator) as browser:
        login(browser, "ada")
        ask(browser, "sex = 'male'")
        assert [line["question"] for line in browser.get("/api/v1/curator/history").json()["history"]] == [
            "sex = 'male'"
        ]
        browser.cookies.clear()
        login(browser, "bob")
        assert browser.get("/api/v1/curator/history").json()["history"] == []
        assert "sex = 'male'" not in browser.get("/curator").text.replace("&#39;", "'")


def test_the_owner_sees_who_asked_what_and_analysts_do_not(place):
    shelf, users, curator = place
    with client(shelf, users=users, curator=curator) as browser:
        login(browser, "ada")
        ask(browser, "sex = 'male'")
        assert browser.get("/owner").status_code == 403
        browser.cookies.clear()
        login(browser, "olga")
        page = browser.get("/owner").text.replace("&#39;", "'")
        assert "sex = 'male'" in page
        assert '<th scope="row">ada</th>' in page


def test_wrong_questions_cost_nothing_and_say_what_was_meant(place):
    shelf, users, curator = place
    with client(shelf, users=users, curator=curator) as browser:
        login(browser, "ada")
        assert "Did you mean 'smoker'?" in message(ask(browser, "smokr"))
        assert ask(browser, "x" * 5000).status_code == 413
        assert browser.get("/api/v1/curator/purse").json()["used"] == 0


def test_answers_come_on_a_clock(place):
    shelf, users, curator = place
    with client(shelf, users=users, curator=replace(curator, tick=0.4)) as browser:
        login(browser, "ada")
        ask(browser, "smoker")  # the process begins
        for question in ("smoker", "smokr", WIDE_QUESTIONS[0]):
            began = time.monotonic()
            ask(browser, question)
            assert int((time.monotonic() - began) / 0.4) == 1


def test_the_page_asks_too(place):
    from served import form_token

    shelf, users, curator = place
    with client(shelf, users=users, curator=curator) as browser:
        login(browser, "ada")
        token = form_token(browser.get("/curator").text)
        page = browser.post("/curator", data={"q": "smoker", "form_token": token}).text
        assert "<small>free</small>" in page
        assert "with 95% confidence" in page
        assert browser.post("/curator", data={"q": "smoker"}).status_code == 403


def test_a_process_that_dies_is_begun_again_and_nothing_paid_is_lost(place):
    shelf, users, curator = place
    with client(shelf, users=users, curator=curator) as browser:
        login(browser, "ada")
        paid = next(answer for q in WIDE_QUESTIONS if (answer := ask(browser, q).json())["source"] == "paid")
        online = browser.app.state.place.online
        subprocess.run(["kill", "-9", str(online.pid)], check=True)
        again = ask(browser, paid["question"]).json()
        assert (again["source"], again["value"]) == ("repeated", paid["value"])


def test_a_state_that_is_not_there_says_how_to_begin(place):
    shelf, _, curator = place
    with client(shelf, curator=replace(curator, state=shelf / "none.curator")) as browser:
        assert "begin one with `hush curate" in message(ask(browser, "smoker"))


def test_purses_survive_a_crash_between_begin_and_end(tmp_path):
    purses = Purses(tmp_path / "p")
    purses.begin("ada", "paid before the crash", 3)
    purses.begin("ada", "not paid", 3)
    purses.end(purses.begin("ada", "free", 3), "free", {})
    assert purses.used("ada") == 2
    purses.close()
    purses = Purses(tmp_path / "p")
    purses.settle(lambda question: question == "paid before the crash")
    assert purses.used("ada") == 1
    assert [line["source"] for line in purses.history("ada")] == ["free", "lost", "paid"]
    purses.begin("ada", "a", 2)
    with pytest.raises(PurseEmpty):
        purses.begin("ada", "b", 2)
    assert sqlite3.connect(tmp_path / "p").execute("SELECT count(*) FROM asked").fetchone() == (4,)


@pytest.mark.parametrize("budget", [ht.Budget(rho=400), ht.Budget(epsilon=400)], ids=["rho", "pure"])
def test_an_answer_that_was_told_is_the_same_again(budget):
    from curators import rehearsal

    curator = rehearsal(budget)
    for question in (*WIDE_QUESTIONS[:6], "smoker OR NOT smoker"):
        answer = curator.ask(question)
        again = rebuilt(told(answer, 0.95))
        assert again == answer
        assert again.interval(0.8) == answer.interval(0.8)
        assert str(again) == str(answer)


def test_the_server_never_loads_what_sees_rows(place):
    """Not the sources, the door or the ledger, whatever is asked of it."""
    shelf, _, curator = place
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from starlette.testclient import TestClient
from hushtable.server.app import make_app
from hushtable.server.settings import OnlineCurator, Settings
folder = Path({str(curator.state.parent)!r})
curator = OnlineCurator(state=folder / "t.curator", data=str(folder / "t.csv"), domain=folder / "t.yaml", tick=0.05)
app = make_app(Settings(folder=Path({str(shelf)!r}), curator=curator, ledger=folder / "t.ledger"))
with TestClient(app, base_url="http://localhost") as browser:
    for path in ("/", "/plan", "/owner", "/curator", "/help", "/api/v1/curator/purse"):
        assert browser.get(path).status_code == 200, path
    assert browser.post("/api/v1/curator/ask", json={{"question": "smoker"}}).status_code == 200
    plan = {{"domain": "table: t\\nattributes: {{a: {{kind: boolean}}}}", "epsilon": "1"}}
    assert browser.post("/api/v1/plan", json=plan).status_code == 200
print(sorted(name for name in sys.modules if name.startswith("hushtable.vault")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
