"""Follows: columns that are a function of another one, by declaration; and levels, groups of values with a meaning."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadDomain
from ..words import listed, shortened, suggestion
from .attributes import MISSING, OTHER, Attribute, Category, Uncoded, canonical
from .predicate import Event

__all__ = ["Follower", "ValueLevels", "read_follows", "read_levels", "with_files"]

MOST_BYTES = 10_000_000
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Follower:
    """A column that another one fixes: it is not measured, costs nothing, and is filled in by its map."""

    attribute: Attribute
    of: str
    """The column that it follows, as declared."""
    pairs: Pairs
    """The map as declared: what the other column says, and what this one then says."""
    place: int
    """Where the column stands among all columns."""
    root: int
    """Position, among the closed attributes, of the column that decides in the end."""
    texts: tuple[str | None, ...]
    """What this column says for each code of that one; None where it is missing."""
    codes: tuple[int, ...]
    """The same as codes of this column."""

    @property
    def name(self) -> str:
        """Of the column."""
        return self.attribute.name

    def lifted(self, event: Event) -> Event:
        """A condition on this column's codes as one on those of the column that decides."""
        return Event(self.root, tuple(event.true[c] for c in self.codes), tuple(event.false[c] for c in self.codes))

    def to_dict(self) -> dict[str, Any]:
        """What `follows` says of it, with the map inline."""
        return {"of": self.of, "map": dict(self.pairs)}


@dataclass(frozen=True, kw_only=True)
class ValueLevels:
    """Groups of a column's values that have a meaning: what is merged first where values are merged."""

    name: str
    groups: tuple[str, ...]
    """One a declared value, in the order of the values."""


def with_files(parts: Any, folder: Path) -> Any:
    """The same domain with the maps that it names as files, which lie beside it, written out.

    Only for a file of the owner's own: a domain inside a published file names no others, so that whoever wrote it
    cannot have a reader's files looked at.
    """
    if not isinstance(parts, Mapping):
        return parts
    found = dict(parts)
    for name, given in _entries(parts, "follows"):
        if isinstance(given, Mapping) and isinstance(given.get("map"), str):
            wanted = (str(given.get("of")), name)
            found["follows"] = found["follows"] | {
                name: dict(given) | {"map": _from_file(folder, given["map"], wanted)}
            }
    for name, given in _entries(parts, "levels"):
        if isinstance(given, str):
            found["levels"] = found["levels"] | {name: _from_file(folder, given, (name, ""))}
    return found


def _entries(parts: Mapping[str, Any], setting: str) -> Iterator[tuple[str, Any]]:
    given = parts.get(setting, {})
    if not isinstance(given, Mapping):
        example = "{density: {of: region, map: density.csv}}" if setting == "follows" else "{diagnosis: chapters.csv}"
        raise BadDomain(f"{setting} is written {example}")
    yield from ((str(name), value) for name, value in given.items())


def _from_file(folder: Path, name: str, wanted: tuple[str, str]) -> dict[str, str]:
    """Two columns of a CSV file with a header: those of the wanted names, or else the first two."""
    path = folder / name
    try:
        data = path.read_bytes()
        if len(data) > MOST_BYTES:
            raise BadDomain(f"{path} has {len(data):,} bytes; a map has at most {MOST_BYTES:,}")
        lines = [line for line in csv.reader(data.decode("utf-8-sig").splitlines()) if line]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BadDomain(f"cannot read the map {path}: {why}") from None
    head = lines[0] if lines else []
    if any(len(line) != len(head) for line in lines) or len(head) < 2:
        raise BadDomain(f"the map {path} needs a header and two columns: a value, and what goes with it")
    places = [head.index(each) if each in head else place for place, each in enumerate(wanted)]
    found: dict[str, str] = {}
    for line in lines[1:]:
        key, value = (line[place].strip() for place in places)
        if found.setdefault(key, value) != value:
            raise BadDomain(f"the map {path} gives '{key}' two values, '{found[key]}' and '{value}'; one is allowed")
    return found


def read_follows(parts: Mapping[str, Any], attributes: Sequence[Attribute]) -> tuple[Follower, ...]:
    """All columns that follow others, parents first; BadDomain says which map is wrong and where."""
    given = dict(_entries(parts, "follows"))
    by_name = {a.name: a for a in attributes}
    wanted = {name: _declared(name, entry, by_name) for name, entry in given.items()}
    closed = [a for a in attributes if not isinstance(a, Uncoded) and a.name not in wanted]
    made: dict[str, Follower] = {}
    for name in _parents_first(wanted):
        of, pairs = wanted[name]
        if of not in made and of not in by_name:
            known = [*by_name, *made]
            raise BadDomain(f"follows: {name} follows {of}, and there is no such column.{suggestion(of, known)}")
        parent = made[of].attribute if of in made else by_name[of]
        own = by_name.get(name) or _words(name, pairs)
        texts = _texts(own, parent, pairs)
        if of in made:
            root, above = made[of].root, made[of].codes
        else:
            root, above = closed.index(parent), tuple(range(parent.size))
        place = attributes.index(own) if own in attributes else len(attributes) + sum(f not in by_name for f in made)
        said = tuple(texts[code] for code in above)
        codes = tuple(_code(own, text) for text in said)
        made[name] = Follower(attribute=own, of=of, pairs=pairs, place=place, root=root, texts=said, codes=codes)
    return tuple(made.values())


def _declared(name: str, entry: Any, by_name: Mapping[str, Attribute]) -> tuple[str, Pairs]:
    """What a column follows, and its map."""
    of = entry.get("of") if isinstance(entry, Mapping) else entry
    if not isinstance(of, str) or (isinstance(entry, Mapping) and set(entry) - {"of", "map"}):
        raise BadDomain(
            f"follows: {name}: write {{of: COLUMN, map: {{value: value}}}} or {{of: COLUMN, map: FILE.csv}}"
        )
    if of in by_name and isinstance(by_name[of], Uncoded):
        raise BadDomain(f"follows: {name} follows {of}, whose values are not listed, so no map can have them all")
    given = entry.get("map") if isinstance(entry, Mapping) else None
    if given is None:
        same = name in by_name and of in by_name and by_name[name].labels == by_name[of].labels
        if not same:
            raise BadDomain(f"follows: {name} follows {of}, but nothing says how; write {{of: {of}, map: FILE.csv}}")
        return of, tuple((value, value) for value in by_name[of].values)
    if not isinstance(given, Mapping):
        raise BadDomain(f"follows: {name}: its map is {{value: value}}, or in a domain file that of a CSV file")
    return of, tuple((canonical(key) or MISSING, canonical(value) or MISSING) for key, value in given.items())


def _parents_first(wanted: Mapping[str, tuple[str, Pairs]]) -> list[str]:
    done: list[str] = []
    for name in wanted:
        path = [name]
        while (of := wanted[path[-1]][0]) in wanted and of not in done:
            if of in path:
                raise BadDomain(f"follows goes round in a circle: {' follows '.join([*path, of])}; one must come first")
            path.append(of)
        done += [each for each in reversed(path) if each not in done]
    return done


def _words(name: str, pairs: Pairs) -> Category:
    """A column that is declared by its map alone."""
    return Category(name=name, names=tuple(dict.fromkeys(value for _, value in pairs if value != MISSING)))


def _texts(own: Attribute, parent: Attribute, pairs: Pairs) -> list[str | None]:
    """What the column says for each code of its parent."""
    if isinstance(own, Uncoded):
        raise BadDomain(f"follows: the values of {own.name} are not listed; declare it as a category")
    found: dict[int, str] = {}
    for key, value in pairs:
        code = parent.labels.index(key) if key in parent.labels else parent.place(key)
        if code is None:
            raise BadDomain(
                f"follows: the map of {own.name} has '{shortened(key, 40)}', which is not a value of {parent.name}; it "
                f"has {listed(parent.labels, 8)}.{suggestion(key, parent.labels)}"
            )
        if value != MISSING and value not in own.labels and own.place(value) is None:
            raise BadDomain(
                f"follows: the map gives {own.name} the value '{shortened(value, 40)}', which it does not have; it has "
                f"{listed(own.labels, 8)}.{suggestion(value, own.labels)}"
            )
        if found.setdefault(code, value) != value:
            raise BadDomain(
                f"follows: {parent.name} = '{parent.labels[code]}' gives {own.name} two values; one is allowed"
            )
    return [_said(own, parent, code, found) for code in range(parent.size)]


def _said(own: Attribute, parent: Attribute, code: int, found: Mapping[int, str]) -> str | None:
    if code in found:
        return None if found[code] == MISSING else found[code]
    if code < len(parent.values) or own.missing_code is None:
        raise BadDomain(
            f"follows: the map of {own.name} says nothing of {parent.name} = '{parent.labels[code]}'; add a line for it"
        )
    return OTHER if code == parent.other_code and own.other else None


def _code(own: Attribute, text: str | None) -> int:
    if text is None:
        if own.missing_code is None:
            raise BadDomain(
                f"follows: the map leaves {own.name} missing, and it says `missing: error`; give it a value"
            )
        return own.missing_code
    code = own.labels.index(text) if text in own.labels else own.place(text)
    assert code is not None
    return code


def read_levels(parts: Mapping[str, Any], attributes: Sequence[Attribute]) -> tuple[ValueLevels, ...]:
    """Groups of values with a meaning, of categories; BadDomain where they do not cover all values."""
    by_name, found = {a.name: a for a in attributes}, []
    for name, given in _entries(parts, "levels"):
        attribute = by_name.get(name)
        if not isinstance(attribute, Category):
            known = [a.name for a in attributes if isinstance(a, Category)]
            raise BadDomain(f"levels: {name} is not a category; there are {listed(known)}.{suggestion(name, known)}")
        if not isinstance(given, Mapping):
            raise BadDomain(
                f"levels: {name}: write {{value: group}}, {{group: [values]}}, or in a domain file that of a CSV file"
            )
        groups = _groups(given)
        for value in groups:
            if value not in attribute.names:
                hint = suggestion(value, attribute.names)
                raise BadDomain(
                    f"levels: {name} has no value '{shortened(value, 40)}'; {listed(attribute.names, 8)}.{hint}"
                )
        missing = [value for value in attribute.names if value not in groups]
        if missing:
            raise BadDomain(f"levels: {name} has values in no group: {listed(missing, 6)}; name one for each")
        found.append(ValueLevels(name=name, groups=tuple(groups[value] for value in attribute.names)))
    return tuple(found)


def _groups(given: Mapping[Any, Any]) -> dict[str, str]:
    """Value to group, from either way to write it."""
    groups: dict[str, str] = {}
    for key, entry in given.items():
        one, many = (str(key), entry) if isinstance(entry, (list, tuple)) else (canonical(entry) or "", [key])
        for value in many:
            text = canonical(value) or ""
            if groups.setdefault(text, one) != one:
                raise BadDomain(f"levels: '{shortened(text, 40)}' is in two groups, '{groups[text]}' and '{one}'")
    return groups
