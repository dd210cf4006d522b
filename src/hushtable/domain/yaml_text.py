"""YAML in and out: plain text scalars only, no aliases, no tags, bounded size and depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..errors import BadDomain, BadPath

__all__ = ["read_yaml", "yaml_text"]

MOST_BYTES, MOST_DEPTH = 10_000_000, 20


class _PlainLoader(yaml.BaseLoader):
    """Every scalar is text: `no` stays the word no, 0.1 stays the digits the owner typed.

    Aliases are refused because a few lines of them can describe gigabytes.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """One more node, unless it is an alias or nested too deeply."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys are all different; YAML would keep the last of two in silence."""
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        twice = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
        if twice is not None:
            raise yaml.YAMLError(f"'{twice}' is given twice")
        return super().construct_mapping(node, deep)


def read_yaml(path: str | Path) -> Any:
    """The plain values of a YAML file: text, lists and mappings."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise BadPath(f"no file {path}; give the path of a domain file (hush domain draft makes one)") from None
    except (OSError, ValueError) as error:
        raise BadPath(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not a file name'}") from None
    if len(data) > MOST_BYTES:
        raise BadDomain(f"{path} has {len(data):,} bytes; a domain file has at most {MOST_BYTES:,}")
    try:
        return yaml.load(data.decode("utf-8"), Loader=_PlainLoader)
    except UnicodeDecodeError:
        raise BadDomain(f"{path} is not UTF-8 text") from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        what = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise BadDomain(f"{path} is not YAML{where}: {what}") from None


class _FlowLists(yaml.SafeDumper):
    """Lists and inner mappings on one line, as the documentation writes them."""


def _represent_inner(dumper: yaml.SafeDumper, value: dict[str, Any]) -> yaml.Node:
    nested = any(isinstance(v, dict) for v in value.values())
    return dumper.represent_mapping("tag:yaml.org,2002:map", value.items(), flow_style=not nested)


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    # YAML 1.1 lets 008 stand without quotes, since it is no octal number; a newer reader makes it 8.
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="'" if value.isdecimal() else None)


_FlowLists.add_representer(dict, _represent_inner)
_FlowLists.add_representer(str, _represent_text)


def yaml_text(values: dict[str, Any]) -> str:
    """The values as YAML, keys in the given order, one line an attribute."""
    return yaml.dump(values, Dumper=_FlowLists, sort_keys=False, allow_unicode=True, width=1000)
