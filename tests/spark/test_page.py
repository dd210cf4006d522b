"""The Python of docs/spark.md runs as it stands; other pages are run where there is no Spark."""

import re
from pathlib import Path

import pytest
import sparked

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text(encoding="utf-8")


@pytest.mark.skipif(sparked.CONNECT, reason="one way is enough")
def test_the_page_runs(spark, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(block, "docs/spark.md", "exec"), {})
    value = float(re.findall(r"0\.\d+", capsys.readouterr().out)[0])
    assert value == pytest.approx(0.21, abs=0.02)
