"""`hush serve`: releases on a page and over HTTP, with people's accounts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .common import AsJson, say

__all__ = ["NEEDED", "app", "check_installed"]


class StartsByDefault(typer.core.TyperGroup):
    """`hush serve FOLDER` is `hush serve start FOLDER`: what is no command is a folder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, with the command that is meant."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["start", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=StartsByDefault,
    help="Serve the releases of a folder as pages and over HTTP: hush serve FOLDER.",
    no_args_is_help=True,
)
user = typer.Typer(help="Who may log in: add, list, remove, password, token, purse.", no_args_is_help=True)
app.add_typer(user, name="user")
Users = Annotated[Path, typer.Option("--users", help="The file of accounts.")]
Name = Annotated[str, typer.Argument(help="The user's name.")]
PasswordFile = Annotated[
    Path | None, typer.Option("--password-file", help="Read the password from the first line of this file.")
]
HERE = Path("users.db")
NEEDED = ("fastapi", "uvicorn", "jinja2", "itsdangerous", "argon2", "python_multipart")


@app.command("start")
def start(
    folder: Annotated[Path, typer.Argument(help="The folder that holds the .hush files.")],
    host: Annotated[str, typer.Option(help="The address to listen at; only this machine by default.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = 8000,
    users: Annotated[Path | None, typer.Option(help="Accounts: everything then needs a login.")] = None,
    open_to_all: Annotated[
        bool, typer.Option("--open", help="Let other machines in without accounts; releases are made to be public.")
    ] = False,
    secure_cookies: Annotated[
        bool, typer.Option("--secure-cookies", help="Logins over TLS only; use it behind a proxy that does TLS.")
    ] = False,
    ledger: Annotated[Path | None, typer.Option(help="A ledger that owners see.")] = None,
    curator: Annotated[Path | None, typer.Option(help="The state of a curator that people may ask.")] = None,
    data: Annotated[str | None, typer.Option(help="Its table; read by a process of its own.")] = None,
    domain: Annotated[Path | None, typer.Option(help="Its domain file.")] = None,
) -> None:
    """Serve the releases of a folder. The server itself never opens a table."""
    from ..server.problems import BadServer
    from ..server.settings import OnlineCurator, Settings

    check_installed()
    online = None
    if curator is not None:
        if data is None or domain is None:
            raise BadServer("a curator needs its table and domain: --curator STATE --data TABLE --domain DOMAIN")
        online = OnlineCurator(state=curator, data=data, domain=domain, ledger=ledger)
    from ..server.run import serve

    settings = Settings(
        folder=folder, host=host, port=port, users=users, open=open_to_all, secure_cookies=secure_cookies,
        ledger=ledger, curator=online,
    )  # fmt: skip
    serve(settings, say=lambda line: typer.echo(line, err=True))


@user.command("add")
def add(
    name: Name,
    users: Users = HERE,
    role: Annotated[str, typer.Option(help="analyst or owner.")] = "analyst",
    purse: Annotated[int, typer.Option(help="How many paid answers of a curator they may use.")] = 0,
    password_file: PasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Add a person; the password is asked for, or read from a file or standard input."""
    _accounts(users, create=True).add(name, _password(password_file), role=role, purse=purse)
    say({"added": name, "role": role}, f"added {name} ({role}) to {users}", as_json=as_json)


@user.command("list")
def people(users: Users = HERE, as_json: AsJson = False) -> None:
    """Who has an account."""
    found = _accounts(users).people()
    lines = [f"{person.name:<24}{person.role:<10}purse {person.purse}" for person in found]
    value = {"users": [{"name": p.name, "role": p.role, "purse": p.purse} for p in found]}
    say(value, "\n".join(lines) or "nobody yet", as_json=as_json)


@user.command("remove")
def remove(name: Name, users: Users = HERE, as_json: AsJson = False) -> None:
    """Remove a person and all their tokens."""
    _accounts(users).remove(name)
    say({"removed": name}, f"removed {name}", as_json=as_json)


@user.command("password")
def password(name: Name, users: Users = HERE, password_file: PasswordFile = None, as_json: AsJson = False) -> None:
    """Set a new password, which ends the logins of before."""
    _accounts(users).set_password(name, _password(password_file))
    say({"changed": name}, f"changed the password of {name}", as_json=as_json)


@user.command("token")
def token(
    name: Name,
    users: Users = HERE,
    days: Annotated[int, typer.Option(help="How long it is good for.")] = 365,
    as_json: AsJson = False,
) -> None:
    """Make a token for programs. It is shown this once."""
    made = _accounts(users).new_token(name, days=days)
    say({"token": made, "days": days}, made, as_json=as_json)


@user.command("purse")
def purse(
    name: Name,
    answers: Annotated[int, typer.Argument(help="How many paid answers, in all.")],
    users: Users = HERE,
    as_json: AsJson = False,
) -> None:
    """Give a person so many paid answers of a curator in all."""
    _accounts(users).set_purse(name, answers)
    say({"name": name, "purse": answers}, f"{name} may use {answers:,} paid answers in all", as_json=as_json)


def check_installed() -> None:
    """BadQuestion, which says what to install, unless all that a server needs is there."""
    from ..extras import need

    for module in NEEDED:
        need(module)


def _accounts(path: Path, *, create: bool = False) -> Any:
    from ..extras import need

    need("argon2")
    from ..server.accounts import Accounts

    return Accounts(path, create=create)


def _password(file: Path | None) -> str:
    """From the keyboard, unseen, twice; from standard input where that is no keyboard."""
    import sys

    from ..errors import BadPath

    if file is not None:
        try:
            return file.read_text("utf-8").partition("\n")[0]
        except (OSError, UnicodeDecodeError):
            raise BadPath(f"cannot read a password from {file}; give a text file with the password alone") from None
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(typer.prompt("password", hide_input=True, confirmation_prompt=True, err=True))
