"""Extras: libraries that are only needed for a way out, such as a picture or a data frame."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import BadQuestion

__all__ = ["ALONG", "EXTRAS", "need"]

SERVE = "pip install 'hushtable[serve]'"
# Whatever else is imported anywhere is a dependency in pyproject.toml; a test compares the two.
EXTRAS = {
    "adbc_driver_manager": "pip install 'hushtable[db]'",
    "adbc_driver_postgresql": "pip install 'hushtable[db]'",
    "matplotlib": "pip install 'hushtable[report]'",
    "pandas": "pip install pandas",
    "polars": "pip install polars",
    "pyspark": "pip install 'hushtable[spark]'",
    "fastapi": SERVE,
    "uvicorn": SERVE,
    "jinja2": SERVE,
    "itsdangerous": SERVE,
    "argon2": SERVE,
    "python_multipart": SERVE,
}
# What these bring with them.
ALONG = {"anyio", "markupsafe", "pydantic", "starlette"}


def need(module: str) -> None:
    """BadQuestion, which says what to install, unless the module is there."""
    if find_spec(module) is None:
        raise BadQuestion(f"this needs {module}, which is not installed: {EXTRAS[module]}")
