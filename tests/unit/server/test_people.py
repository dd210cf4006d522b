"""Accounts, logins and forms: who is let in, what another site cannot do, and one line for everybody else."""

import os
import time

import pytest
from served import PASSWORDS, accounts, client, form_token, login, message, shelf

from hushtable.server.accounts import Accounts
from hushtable.server.problems import BadServer, LoginNeeded, TooBusy
from hushtable.server.rates import Rates
from hushtable.server.sessions import COOKIE
from hushtable.server.settings import Limits, Settings


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    return shelf(folder), accounts(folder)


@pytest.fixture
def browser(place):
    folder, users = place
    with client(folder, users=users) as made:
        yield made


WAYS_IN = ("/", "/releases/visits", "/releases/visits/ask?q=smoker", "/releases/visits/cross?a=age&b=sex", "/plan",
           "/releases/rows/rows", "/owner", "/curator", "/help")  # fmt: skip
INTERFACE = ("releases", "releases/visits", "releases/visits/ask?q=smoker", "releases/visits/file",
             "releases/visits/report", "releases/rows/sample", "curator/purse", "curator/history")  # fmt: skip


@pytest.mark.parametrize("path", WAYS_IN)
def test_every_page_needs_a_login_and_leads_back(browser, path):
    said = browser.get(path)
    assert said.status_code == 303
    assert said.headers["location"].startswith("http://localhost/login?next=%2F")


@pytest.mark.parametrize("path", INTERFACE)
def test_the_interface_needs_a_login_or_a_token(browser, path):
    assert browser.get(f"/api/v1/{path}").status_code == 401
    assert browser.get(f"/api/v1/{path}", headers={"authorization": "Bearer hush_wrong"}).status_code == 401
    assert browser.get("/api/v1/health").status_code == 200


def test_a_login_opens_the_pages_and_a_logout_closes_them(browser):
    login(browser, "ada")
    page = browser.get("/")
    assert page.status_code == 200
    assert "ada" in page.text
    assert browser.post("/logout", data={"form_token": form_token(page.text)}).status_code == 303
    assert browser.get("/").status_code == 303


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(browser):
    said = browser.post("/login", data={"name": "ada", "password": PASSWORDS["ada"]})
    words = said.headers["set-cookie"].lower()
    assert "httponly" in words
    assert "samesite=strict" in words


def test_after_a_login_one_is_where_one_wanted_to_go_and_never_elsewhere(browser):
    for wanted, given in [("/plan", "/plan"), ("//evil.test/", "/"), ("https://evil.test", "/"), ("/\\evil.test", "/")]:
        said = browser.post("/login", data={"name": "ada", "password": PASSWORDS["ada"], "next": wanted})
        assert said.headers["location"] == given


@pytest.mark.parametrize(("name", "password"), [("ada", "wrong password"), ("nobody", "wrong password"), ("", "")])
def test_a_wrong_name_and_a_wrong_password_read_the_same(browser, name, password):
    said = browser.post("/login", data={"name": name or "x", "password": password or "y"})
    assert said.status_code == 401
    assert "name or password is wrong" in said.text


def test_unknown_names_are_hashed_too(place, monkeypatch):
    """Equal time for both: each takes one check of a password."""
    made, checked = Accounts(place[1]), []
    real = Accounts._matches
    monkeypatch.setattr(Accounts, "_matches", lambda self, h, p: checked.append(h) or real(self, h, p))
    for name in ("ada", "nobody"):
        with pytest.raises(LoginNeeded):
            made.login(name, "wrong password")
    assert len(checked) == 2
    assert all(hashed.startswith("$argon2id$") for hashed in checked)


def test_guessing_passwords_is_slowed_down(browser):
    said = [browser.post("/login", data={"name": "bob", "password": f"guess {i}"}) for i in range(11)]
    assert [s.status_code for s in said] == [401] * 10 + [429]
    assert browser.post("/login", data={"name": "ada", "password": PASSWORDS["ada"]}).status_code == 303


def test_cookies_that_were_changed_or_are_old_are_refused(browser, monkeypatch):
    login(browser, "ada")
    good = browser.cookies[COOKIE]
    for bad in (good[:-2] + "xx", good[:5] + "X" + good[6:], "", "a.b.c", good * 2):
        browser.cookies.clear()
        browser.cookies.set(COOKIE, bad)
        assert browser.get("/api/v1/releases").status_code == 401, bad
    browser.cookies.clear()
    browser.cookies.set(COOKIE, good)
    assert browser.get("/api/v1/releases").status_code == 200
    now = time.time()
    for then in (now + 13 * 3600, now - 3600):  # too old, and a clock that went back
        monkeypatch.setattr(time, "time", lambda then=then: then)
        assert "log in again" in message(browser.get("/api/v1/releases"))


def test_a_new_password_ends_older_logins(place, browser):
    login(browser, "bob")
    Accounts(place[1]).set_password("bob", PASSWORDS["bob"])
    assert browser.get("/api/v1/releases").status_code == 401


def test_tokens_work_once_given_expire_and_are_stored_as_hashes(place, browser, monkeypatch):
    made = Accounts(place[1])
    token = made.new_token("ada", days=1)
    header = {"authorization": f"Bearer {token}"}
    assert browser.get("/api/v1/releases", headers=header).status_code == 200
    assert token.encode() not in place[1].read_bytes()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 90_000)
    assert "has expired" in message(browser.get("/api/v1/releases", headers=header))


def test_removing_somebody_ends_logins_and_tokens(tmp_path):
    made = Accounts(tmp_path / "u.db", create=True)
    made.add("eve", "a long password")
    token = made.new_token("eve")
    made.remove("eve")
    with pytest.raises(LoginNeeded, match="not known here"):
        made.token_person(token)
    with pytest.raises(BadServer, match="no user 'eve'; there are: none yet"):
        made.remove("eve")


def test_forms_of_other_sites_are_refused(browser):
    login(browser, "olga")
    token = form_token(browser.get("/owner").text)
    form = {"name": "ada", "answers": "9"}
    assert browser.post("/owner/purse", data=form).status_code == 403
    assert browser.post("/owner/purse", data=form | {"form_token": "0" * 64}).status_code == 403
    foreign = {"origin": "http://evil.test"}
    assert browser.post("/owner/purse", data=form | {"form_token": token}, headers=foreign).status_code == 403
    assert browser.post("/login", data={"name": "ada", "password": "x"}, headers=foreign).status_code == 403
    assert browser.post("/owner/purse", data=form | {"form_token": token}).status_code == 303


def test_analysts_do_not_see_the_owners_page(browser):
    login(browser, "ada")
    said = browser.get("/owner")
    assert said.status_code == 403
    assert "that is for owners" in said.text
    assert ">Owner<" not in browser.get("/").text


def test_one_person_cannot_take_all(place):
    folder, users = place
    with client(folder, users=users, limits=Limits(rate=0.001, burst=3)) as browser:
        login(browser, "ada")
        assert [browser.get("/api/v1/releases").status_code for _ in range(4)] == [200] * 3 + [429]


def test_buckets_fill_again():
    now = [0.0]
    rates = Rates(2.0, 3, clock=lambda: now[0])
    for _ in range(3):
        rates.take("ada")
    with pytest.raises(TooBusy):
        rates.take("ada")
    rates.take("bob")
    now[0] = 0.5
    rates.take("ada")
    now[0] = -100.0  # a clock that goes back gives nothing
    with pytest.raises(TooBusy):
        rates.take("ada")


BAD_PEOPLE = [
    (("Ada", "long enough 1", "analyst"), "a name is 1 to 40"),
    (("ada", "long enough 1", "analyst"), "there is a user 'ada' already"),
    (("new", "short", "analyst"), "a password has 10 to 500 characters"),
    (("new", "long enough 1", "king"), "a role is analyst or owner"),
]


@pytest.mark.parametrize(("given", "words"), BAD_PEOPLE)
def test_people_who_cannot_be_added(place, given, words):
    name, password, role = given
    with pytest.raises(BadServer, match=words):
        Accounts(place[1]).add(name, password, role=role)


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_accounts_that_others_can_read_are_refused(tmp_path):
    path = accounts(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    path.chmod(0o644)
    with pytest.raises(BadServer, match="can be read by others; `chmod 600"):
        Accounts(path)


def test_a_file_that_is_none_of_accounts_is_refused(tmp_path):
    path = tmp_path / "users.db"
    with pytest.raises(BadServer, match="no file"):
        Accounts(path)
    path.write_bytes(b"something else" * 100)
    path.chmod(0o600)
    with pytest.raises(BadServer, match="is not a file of accounts"):
        Accounts(path)


BAD_SETTINGS = [
    ({"folder": "nowhere"}, "no folder nowhere"),
    ({"host": "0.0.0.0"}, "0.0.0.0 can be reached from other machines"),
    ({"host": "example.org"}, "can be reached from other machines"),
    ({"port": 70000}, "port must be from 0 to 65535"),
]


@pytest.mark.parametrize(("given", "words"), BAD_SETTINGS)
def test_servers_that_should_not_start(tmp_path, given, words):
    from pathlib import Path

    with pytest.raises(BadServer, match=words):
        Settings(
            **{"folder": tmp_path} | given | ({"folder": Path(given["folder"])} if "folder" in given else {})
        ).check()


def test_servers_that_may_start(tmp_path):
    for more in ({}, {"host": "::1"}, {"host": "localhost"}, {"host": "0.0.0.0", "open": True}):
        Settings(folder=tmp_path, **more).check()


def test_another_address_is_not_ours(place):
    """A page elsewhere that renamed itself to this machine's address is turned away."""
    with client(place[0]) as browser:
        assert browser.get("/", headers={"host": "evil.test"}).status_code == 403
        assert browser.get("/", headers={"host": "127.0.0.1:8000"}).status_code == 200
