"""A file that is written while a release reads it: noticed by its size and time, before anything of it is shown."""

import pytest

import hushtable as ht
from hushtable.errors import BadData
from hushtable.vault.sources import open_source
from hushtable.vault.statistics import Histogram

DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"smoker": {"kind": "boolean"}}})


@pytest.mark.parametrize("change", ["longer", "the same length", "another file", "gone"])
def test_a_file_that_changes_between_passes_is_refused(change, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("smoker\n" + "yes\nno\n" * 50)
    source, statistic = open_source(path, DOMAIN), Histogram(DOMAIN.sizes)
    with source.snapshot():
        assert source.total(statistic, DOMAIN).sum() == 100
        if change == "gone":
            real = source.batches

            def batches(names):
                yield from real(names)
                path.unlink()

            source.batches = batches  # type: ignore[method-assign]
        elif change == "another file":
            (tmp_path / "other").write_text(path.read_text())
            (tmp_path / "other").rename(path)
        else:
            path.write_text("smoker\n" + ("no\nyes\n" * 50 if change == "the same length" else "yes\n" * 200))
        with pytest.raises(BadData, match="changed while it was read; what was charged stays spent"):
            source.total(statistic, DOMAIN)
    if change != "gone":
        assert source.total(statistic, DOMAIN).sum() >= 100  # a new release reads what is there then
