"""`hush`: the command line. Thin: it reads arguments, calls the library and prints."""

from __future__ import annotations

import os
import sys

import typer

from . import (
    ask,
    audit,
    curate,
    demo,
    domain,
    export,
    fair,
    info,
    ledger,
    plan,
    plot,
    predict,
    release,
    report,
    reproduce,
    sample,
    serve,
)
from .common import show_error

__all__ = ["app", "main"]

app = typer.Typer(
    name="hush",
    help="Publish one private summary of a table; ask it for ever, with an error bar on every answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.run)
app.add_typer(domain.app, name="domain")
app.command("plan")(plan.run)
app.command("release")(release.run)
app.command("ask")(ask.run)
app.command("info")(info.run)
app.command("export")(export.run)
app.command("curate")(curate.run)
app.command("sample")(sample.run)
app.command("plot")(plot.run)
app.command("predict")(predict.run)
app.command("report")(report.run)
app.add_typer(fair.app, name="fair")
app.add_typer(ledger.app, name="ledger")
app.add_typer(serve.app, name="serve")
app.command("audit")(audit.run)
app.command("reproduce")(reproduce.run)


@app.callback(invoke_without_command=True)
def _version(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if version:
        from .. import __version__

        typer.echo(f"hush {__version__}")
        raise typer.Exit


def main() -> None:
    """Runs one command. Exit codes: 0 ok, 1 the user's error, 2 usage, 3 over budget."""
    from ..errors import HushError, error_dict

    try:
        app()
    except HushError as error:
        show_error(error.to_dict())
        sys.exit(error.exit_code)
    except KeyboardInterrupt as error:
        if not getattr(error, "__notes__", ()):
            error.add_note("what the ledger had recorded stays recorded (hush ledger show)")
        show_error(error_dict(error, kind="Stopped", message="stopped", exit_code=1))
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        # A disk that is full or gone, wherever it shows; its own words hold no row, but they may hold a path.
        what = os.strerror(error.errno) if error.errno else "it did not say why"
        message = f"the system could not read or write a file: {what}; mend that and try again"
        show_error(error_dict(error, kind="BadPath", message=message, exit_code=1))
        sys.exit(1)
    except Exception as error:
        if os.environ.get("HUSH_DEBUG"):
            raise
        # The text of an unforeseen error may quote a row, so only its type is shown.
        message = (
            f"an unforeseen {type(error).__name__}: a bug in hush; its text may quote private values, "
            "so it is hidden (set HUSH_DEBUG=1 to see it, and look before you report it)"
        )
        show_error(error_dict(error, kind="Bug", message=message, exit_code=1))
        sys.exit(1)
