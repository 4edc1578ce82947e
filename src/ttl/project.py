"""The settings of a project: the table ``[tool.ttl]`` of the nearest ``pyproject.toml`` that has one.

They apply unless a flag or an environment variable sets the value, to verbs that take a program and to the language
server.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ttl.diag import Diagnostic, error
from ttl.session import SOURCES, FileText
from ttl.session.switches import Setting, Settings, Value, WrongValueError, setting
from ttl.source.spans import Span

NAME = "pyproject.toml"
KEYS = ("arch", "grid", "strict", "most_expressions", "most_specialisations")
"""The settings that a project may have: those that affect how its programs are checked."""
_TABLE = re.compile(r"^\s*\[tool\.ttl\]", re.MULTILINE)
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectSettings:
    """The settings that the project of a program requires."""

    path: str | None = None
    """The file that has the settings; None if there is no such file."""
    values: Mapping[str, Value] = field(default_factory=dict)
    findings: tuple[Diagnostic, ...] = ()
    """The mistakes in the file, at their places."""

    def over(self, settings: Settings) -> Settings:
        """``settings``, with those of the project for values that are defaults or an editor's (origin ``ttl.arch``)."""
        values = {
            name: value
            for name, value in self.values.items()
            if name not in settings.origins or settings.origins[name].startswith("ttl.")
        }
        origins = {name: f"tool.ttl.{name} in {NAME}" for name in values}
        return replace(settings, **cast("Any", values), origins={**settings.origins, **origins})


def project_of(program: str) -> ProjectSettings:
    """Return the settings of the nearest project in the file's folder or one above; none for a text without a file."""
    folder = "" if program.startswith("<") else os.path.dirname(os.path.abspath(program))
    sources = SOURCES.get()
    while folder:
        path = os.path.join(folder, NAME)
        if sources.is_file(path):
            text = sources.of(path)
            if _TABLE.search(text.text):
                return _read(path, text)
        above = os.path.dirname(folder)
        folder = "" if above == folder else above
    return ProjectSettings()


def _read(path: str, text: FileText) -> ProjectSettings:
    import tomllib

    try:
        table = tomllib.loads(text.text)["tool"]["ttl"]
    except tomllib.TOMLDecodeError as mistake:
        said = _PLACE.search(str(mistake))
        line, column = (int(said[1]), int(said[2])) if said else (1, 1)
        why = _PLACE.sub("", str(mistake)).strip().lower()
        finding = error("TTL0125", f"{NAME} is not TOML: {why}", help="nothing of [tool.ttl] is in effect")
        return ProjectSettings(path=path, findings=(finding.at(Span(file=path, line=line, column=column)),))
    values: dict[str, Value] = {}
    findings = []
    for key, value in table.items():
        name = key.replace("-", "_")
        place = _place(path, text, key)
        if name not in KEYS:
            findings.append(_unknown(key).at(place))
            continue
        row = setting(name)
        try:
            values[name] = _value(row, value)
        except WrongValueError:
            message = f"tool.ttl.{key} is {value!r}, which is not a value it can have"
            advice = f"it takes {_allowed(row)}"
            findings.append(error("TTL0125", message, help=advice, notes=(f"it sets: {row.help}",)).at(place))
    return ProjectSettings(path=path, values=values, findings=tuple(findings))


def _value(row: Setting, value: object) -> Value:
    """Convert a TOML value: a list for a grid, a Boolean for a switch, a number, or a text as for the flag."""
    match row.type, value:
        case "bool", bool():
            return value
        case "bool", _:
            pass
        case "grid", [int(), int()]:
            return row.parse("x".join(map(str, value)), row.name)
        case _, str():
            return row.parse(value, row.name)
        case "int", int() if not isinstance(value, bool):
            return row.parse(str(value), row.name)
    raise WrongValueError(row, str(value), row.name)


def _allowed(row: Setting) -> str:
    return {"bool": "true or false", "grid": 'two extents from 1 on, such as "8x8" or [8, 8]'}.get(
        row.type, row.allowed
    )


def _unknown(key: str) -> Diagnostic:
    near = difflib.get_close_matches(key, KEYS, n=1)
    advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(KEYS)}"
    return error("TTL0125", f"[tool.ttl] has no setting '{key}'", help=advice)


def _place(path: str, text: FileText, key: str) -> Span:
    """Return the place of a key in the table; the place of the table if the key is written in another way."""
    inside = False
    for number, line in enumerate(text.lines, 1):
        if line.lstrip().startswith("["):
            inside = _TABLE.match(line) is not None
        match_ = re.match(rf"\s*(\"?{re.escape(key)}\"?)\s*=", line) if inside else None
        if match_ is not None:
            begin, end = match_.span(1)
            return Span(file=path, line=number, column=begin + 1, end_line=number, end_column=end + 1)
    table = _TABLE.search(text.text)
    return Span(file=path, line=text.text.count("\n", 0, table.end()) + 1 if table else 1)
