"""The map of the house is what tools/house_map.py draws, and the picture shows the imports there are."""

import re
from xml.etree import ElementTree

import pytest

import house_map
from house import RANKS, SRC, imported_rooms


def test_the_table_is_up_to_date():
    page = house_map.PAGE.read_text("utf-8")
    assert page == house_map.with_table(page, house_map.table()), "run `make docs`"


def test_the_picture_is_up_to_date():
    assert house_map.PICTURE.read_text("utf-8") == house_map.picture(), "run `make docs`"


def test_every_folder_says_what_lives_there():
    lines = house_map.table().splitlines()[2:]
    assert len(lines) == sum(map(len, RANKS)) + len(list(SRC.glob("*/*/__init__.py")))
    for line in lines:
        _, rank, folder, says, may, _ = re.split(r"(?<!\\)\|", line)
        assert len(says.strip()) > 10, folder
        assert not rank.strip() or may.strip(), folder


def test_the_picture_has_a_dot_for_every_import_between_rooms():
    root = ElementTree.fromstring(house_map.picture())
    rooms = [name for names in RANKS[1:] for name in names]
    real = imported_rooms()
    below = sum(name in real[other] for i, name in enumerate(rooms) for other in rooms[i + 1 :])
    assert len(root.findall("{*}circle")) == below


def test_imports_are_seen_where_they_stand(tmp_path):
    for name in ("models", "questions"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text('"""A room. With more to say."""\n')
    (tmp_path / "models" / "sly.py").write_text(
        "def f():\n    from ..questions import answer\n    from .base import g\n"
    )
    assert imported_rooms(tmp_path)["models"] == {"questions"}
    assert not imported_rooms(tmp_path)["questions"]


def test_a_lost_mark_is_named():
    with pytest.raises(SystemExit, match="lost a mark"):
        house_map.with_table("a page without marks", "| |")
