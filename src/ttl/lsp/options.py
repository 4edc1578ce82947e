"""The choices of the client's user: the section ``ttl`` of the editor's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ttl.session.switches import SETTINGS, Settings, WrongValueError

# The settings of the package that an editor may also set.
_OF_THE_PACKAGE = ("arch", "grid", "strict")


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientOptions:
    """The editor's settings. Those of the package (``arch``, ``grid``, ``strict``) are in ``settings``."""

    settings: Settings
    debounce_ms: int = 10
    inlay_shapes: bool = True
    inlay_inferred: bool = True
    sanitize_on_save: bool = False
    task_seconds: int = 60
    task_megabytes: int = 4096
    trusted: bool = True
    """Whether programs of the workspace may run: set when the client connects, never by settings."""
    wrong: tuple[str, ...] = ()
    """The options that were not understood, and have their defaults."""


# Numbers: the field, the names in the section, the smallest and the largest value.
_NUMBERS = (
    ("debounce_ms", ("debounceMs",), 0, 10_000),
    ("task_seconds", ("task", "seconds"), 1, 86_400),
    ("task_megabytes", ("task", "megabytes"), 64, 1 << 20),
)
_SWITCHES = (
    ("inlay_shapes", ("inlayHints", "shapes")),
    ("inlay_inferred", ("inlayHints", "inferred")),
    ("sanitize_on_save", ("sanitizeOnSave",)),
)


def options_of(section: Any, base: Settings) -> ClientOptions:
    """Return the options of a section of the editor's settings, over ``base``.

    Options with errors have their defaults, and are listed in ``wrong``.
    """
    whole = _mapping(section)
    given = _mapping(whole.get("ttl", whole))
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, path, least, most in _NUMBERS:
        value = _at(given, path)
        if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most:
            values[name] = int(value)
        elif value is not None:
            wrong.append(f"ttl.{'.'.join(path)} is {value!r}: it takes a number from {least} to {most}")
    for name, path in _SWITCHES:
        value = _at(given, path)
        if isinstance(value, bool):
            values[name] = value
        elif value is not None:
            wrong.append(f"ttl.{'.'.join(path)} is {value!r}: it takes true or false")
    trusted = whole.get("trusted", given.get("trusted")) is not False
    return ClientOptions(
        settings=_settings(given, base, wrong), **values, trusted=trusted, wrong=tuple(wrong)
    )


def _settings(given: Mapping[str, Any], base: Settings, wrong: list[str]) -> Settings:
    chosen: dict[str, Any] = {}
    for row in SETTINGS:
        value = _at(given, (row.name,)) if row.name in _OF_THE_PACKAGE else None
        if value is None or value == "":
            continue
        text = "x".join(map(str, value)) if isinstance(value, list) else str(value)
        try:
            chosen[row.name] = row.parse(text, f"ttl.{row.name}")
        except WrongValueError:
            wrong.append(f"ttl.{row.name} is {value!r}: it takes {row.allowed}")
    origins = {**base.origins, **{name: f"ttl.{name}" for name in chosen}}
    return replace(base, **chosen, origins=origins)


def _at(given: Any, path: tuple[str, ...]) -> Any:
    """A member of the settings, which may be nested objects or have names with dots."""
    members = _mapping(given)
    flat = members.get(".".join(path))
    if flat is not None or len(path) == 1:
        return flat
    return _at(members.get(path[0]), path[1:])


def _mapping(given: Any) -> Mapping[str, Any]:
    """Return the members of an object of the client, of any class of the library; empty for any other value."""
    if isinstance(given, Mapping):
        return given
    as_dict = getattr(given, "_asdict", None)
    return as_dict() if as_dict is not None else getattr(given, "__dict__", {})
