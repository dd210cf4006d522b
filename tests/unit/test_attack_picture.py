"""The picture of the reconstruction attack: a new file, whole or not at all, and the same for the same figures."""

import pytest

from hushtable.demo.attack import Attacked, save_picture
from hushtable.errors import BadPath

ATTACKS = [
    Attacked(how="errors up to 4", stderr=2.6, share=0.9, people=16),
    Attacked(how="hushtable, epsilon = 1", stderr=40.0, share=0.52, people=16),
]


@pytest.mark.parametrize("name", ["a.svg", "a.PNG"])
def test_a_picture_is_written_once_and_replaces_nothing(name, tmp_path):
    pytest.importorskip("matplotlib")
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        save_picture(folder / name, ATTACKS)
        assert [path.name for path in folder.iterdir()] == [name]
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with pytest.raises(BadPath, match="exists"):
        save_picture(tmp_path / "one" / name, ATTACKS)
