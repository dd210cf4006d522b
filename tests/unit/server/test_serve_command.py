"""`hush serve` as somebody starts it: lines that say what is wrong, accounts by commands, a client in Python."""

import socket
import subprocess
import sys

import pytest
from served import accounts, begin_curator, process, shelf
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app


def serve(*words, lines=None):
    result = CliRunner().invoke(app, ["serve", *words], input=lines)
    if isinstance(result.exception, ht.HushError):
        return result.exception.exit_code, str(result.exception)
    return result.exit_code, result.stdout


def test_people_are_added_listed_given_purses_and_removed(tmp_path):
    users = ("--users", str(tmp_path / "u.db"))
    assert serve("user", "add", "ada", "--purse", "3", *users, lines="a long password\n") == (
        0,
        f"added ada (analyst) to {tmp_path / 'u.db'}\n",
    )
    assert serve("user", "purse", "ada", "5", *users)[1] == "ada may use 5 paid answers in all\n"
    assert serve("user", "list", *users)[1].split() == ["ada", "analyst", "purse", "5"]
    assert serve("user", "token", "ada", *users)[1].startswith("hush_")
    assert serve("user", "password", "ada", *users, lines="another password\n")[0] == 0
    assert serve("user", "remove", "ada", *users)[0] == 0
    assert serve("user", "list", *users)[1] == "nobody yet\n"


WRONG = [
    (("nowhere",), "no folder nowhere"),
    ((".", "--host", "0.0.0.0"), "can be reached from other machines"),
    ((".", "--users", "none.db"), "no file none.db; make it with `hush serve user add NAME"),
    ((".", "--curator", "a.curator"), "a curator needs its table and domain"),
    (("user", "remove", "ada", "--users", "none.db"), "no file none.db"),
]


@pytest.mark.parametrize(("words", "line"), WRONG)
def test_mistakes_are_one_line(tmp_path, monkeypatch, words, line):
    monkeypatch.chdir(tmp_path)
    code, said = serve(*words)
    assert (code, line in said, "\n" in said) == (1, True, False)


def test_a_port_in_use_is_said_before_anything_begins(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, said = serve(str(tmp_path), "--port", port)
    assert code == 1
    assert f"cannot listen at 127.0.0.1:{port}" in said


@pytest.mark.slow
def test_a_client_in_python_gets_the_same_answers(tmp_path):
    from hushtable.server.accounts import Accounts

    online = tmp_path / "online"
    online.mkdir()
    place, users, words = shelf(tmp_path), accounts(tmp_path), begin_curator(online)
    token = Accounts(users).new_token("ada")
    with process(str(place), "--users", str(users), *words) as (url, _):
        server = ht.connect(url, token)
        assert {card["name"] for card in server.releases()} == {"broken", "rehearsal", "rows", "visits"}
        here, there = ht.load(place / "visits.hush"), server["visits"]
        assert there.digest == here.digest
        assert there.ask("smoker") == here.ask("smoker")
        answer = server.curator.ask("smoker")
        assert isinstance(answer, ht.CuratorAnswer)
        assert answer.interval(0.5)[0] <= answer.value <= answer.interval(0.99)[1]
        assert server.curator.purse()["given"] == 3
        assert server.curator.history()[0]["question"] == "smoker"
        with pytest.raises(ht.HushError, match="Did you mean 'smoker'"):
            server.curator.ask("smokr")
        with pytest.raises(ht.HushError, match="log in first"):
            ht.connect(url).releases()
    with pytest.raises(ht.HushError, match="is `hush serve` running there"):
        ht.connect(url, token).releases()
    with pytest.raises(ht.HushError, match="begins with http"):
        ht.connect("localhost:8000")


@pytest.mark.slow
def test_it_ends_with_its_processes(tmp_path):
    """Killed from outside, it leaves no process behind that holds rows."""
    words = begin_curator(tmp_path)
    with process(str(tmp_path), *words) as (_, running):
        keeper = subprocess.run(
            ["pgrep", "-P", str(running.pid), "-f", "hushtable.server.keeper"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    for _ in range(100):
        if subprocess.run(["kill", "-0", keeper], capture_output=True, check=False).returncode:
            return
        subprocess.run([sys.executable, "-c", "import time; time.sleep(0.1)"], check=True)
    raise AssertionError("the process of the curator lives on")
