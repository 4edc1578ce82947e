"""The settings in effect, and the errors for wrong values. Their table is in ``ttl/session/switches.py``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, cast

from ttl.arch import Chip, chip_named
from ttl.arch.system_file import WrongSystemError
from ttl.arch.systems import System
from ttl.diag import ProgramError, error, report, warning
from ttl.session import CHOSEN, Session
from ttl.session import current as current_session
from ttl.session.switches import (
    SETTINGS,
    Setting,
    Settings,
    Value,
    WrongValueError,
    folder_of_results,
    is_asked_for,
    setting,
    system_of,
    with_costs,
    with_system,
    wrong_chip,
)
from ttl.source.files import display_name
from ttl.source.spans import Span

__all__ = ["SETTINGS", "Setting", "Settings", "Value"]


def current(session: Session | None = None) -> Settings:
    """The settings of a session (default: the current one), which are read from the environment on first use.

    Raises ``ProgramError`` TTL0101, which names the variable with a wrong value; TTL0145 or TTL0146 for a wrong system.
    """
    try:  # this runs at every call of an operation: entering ``_told`` would cost two microseconds
        return (session or current_session())[CHOSEN]
    except (WrongValueError, WrongSystemError) as wrong:
        with _told():
            raise wrong from None


@contextmanager
def _told() -> Iterator[None]:
    """A context that raises mistakes in the settings as a ``ProgramError``: TTL0101, TTL0145, TTL0146, TTL0152."""
    try:
        yield
    except WrongValueError as wrong:
        raise wrong_value(wrong) from None
    except WrongSystemError as wrong:
        if not wrong.path:
            raise ProgramError(error("TTL0145", wrong.message, help=wrong.help)) from None
        code = "TTL0152" if wrong.of == "costs" else "TTL0146"
        finding = error(code, f"{display_name(wrong.path)}: {wrong.message}", help=wrong.help)
        if wrong.line:
            place = Span(
                file=wrong.path, line=wrong.line, column=wrong.column, end_line=wrong.line, end_column=wrong.column + wrong.length
            )  # fmt: skip
            finding = finding.at(place)
        raise ProgramError(finding) from None


def current_system(chosen: Settings | None = None) -> System | None:
    """The system of the settings (default: the current ones), with their grid and costs; None if there is no system.

    Raises ``ProgramError`` TTL0146 for a file that does not describe a system, and the errors of ``current_chip``.
    """
    chosen = chosen or current()
    if chosen.system is None:
        return None
    with _told():
        system = system_of(chosen)
    if system is None or system.chip.name != chosen.arch:  # an editor asks for another chip
        return None
    return replace(system, chip=_with_grid(system.chip, chosen))


def current_chip(chosen: Settings | None = None) -> Chip:
    """The chip of the settings (default: the current ones), with the grid of ``--grid`` and the costs of ``--costs``.

    Raises ``ProgramError`` TTL0109 when no card of that chip has so large a grid, and the errors of ``costed``.
    """
    chosen = chosen or current()
    system = current_system(chosen)
    return _with_grid(chip_named(chosen.arch), chosen) if system is None else system.chip


def costed(chip: Chip, chosen: Settings | None = None) -> Chip:
    """A chip with the costs of ``--costs``, if that is set.

    Raises ``ProgramError`` TTL0152 for a file without costs of this chip.
    """
    chosen = chosen or current()
    if chosen.costs is None:
        return chip
    with _told():
        return with_costs(chip, chosen)


def _with_grid(selected: Chip, chosen: Settings) -> Chip:
    selected = costed(selected, chosen)
    if chosen.grid is None or chosen.grid == selected.grid:
        return selected
    if any(extent > limit for extent, limit in zip(chosen.grid, selected.max_grid, strict=True)):
        asked, most, usual = (f"{x}x{y}" for x, y in (chosen.grid, selected.max_grid, selected.grid))
        raise ProgramError(
            error(
                "TTL0109",
                f"{chosen.origin('grid')} asks for a grid of {asked} nodes, {selected.name} has at most {most}",
                help=f"ask for {most} or less, or leave it out for the usual {usual}",
            )
        )
    return replace(selected, grid=chosen.grid)


def parsed(row: Setting, text: str, origin: str) -> Value:
    """Parse the text of a flag, which is ``origin``. Raises ``ProgramError`` TTL0101 for a wrong value."""
    try:
        return row.parse(text, origin)
    except WrongValueError as wrong:
        raise wrong_value(wrong) from None


def wrong_value(wrong: WrongValueError) -> ProgramError:
    """Error TTL0101: a setting has a wrong value."""
    return ProgramError(
        error(
            "TTL0101",
            f"{wrong.origin} is '{wrong.text}', which is not a value it can have",
            help=f"{wrong.origin} takes {wrong.setting.allowed}",
            notes=(*([wrong.reason] if wrong.reason else []), f"it sets: {wrong.setting.help}"),
        )
    )


def cache_folder(chosen: Settings | None = None) -> str | None:
    """Return the folder for results that are kept for the next run; None if it is switched off, or without a home."""
    return folder_of_results((chosen or current()).cache_dir)


def cache_failed(problem: OSError) -> None:
    """Warn once in a run that the cache folder cannot be written and the run continues without it (TTL0137)."""
    reason = (problem.strerror or str(problem)).lower()
    report.emit(
        warning(
            "TTL0137",
            f"nothing is kept for the next run: cannot write the cache folder '{cache_folder()}': {reason}",
            help="'ttl doctor --fix' mends it; --cache-dir FOLDER takes another one, --cache-dir off none",
        ),
        once=True,
    )


def write_kept(path: str, content: bytes) -> None:
    """Write a file of the cache folder, as a whole or not at all. Raises ``OSError``."""
    import tempfile  # which takes longer to import than everything else here

    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


@contextmanager
def override(*, origin: str = "override", **values: Value) -> Iterator[Settings]:
    """A context with other settings: ``override(arch="blackhole", grid=(2, 2))``.

    ``origin`` is the source of the values in messages; ``overriding`` takes a mapping instead.
    """
    with overriding(values, dict.fromkeys(values, origin)) as settings:
        yield settings


@contextmanager
def overriding(values: Mapping[str, Value], origins: Mapping[str, str]) -> Iterator[Settings]:
    """A context with other settings, each with its own origin.

    Raises ``ProgramError`` TTL0101 for a choice that is not in the table and ``KeyError`` for an unknown name.
    """
    own = dict(values)
    for name, value in values.items():
        row = setting(name)
        if row.type == "options":
            own[name] = parsed(row, str(value), origins.get(name, name))
        elif row.choices and value not in row.choices:
            raise wrong_value(WrongValueError(row, str(value), origins.get(name, name)))
    before = current()
    changed = replace(before, **cast("Any", own), origins={**before.origins, **origins})
    with _told():
        changed = with_system(changed) if "system" in own else _beside_system(changed, own, origins)
    with CHOSEN.given(changed):
        yield changed


def _beside_system(changed: Settings, own: Mapping[str, Value], origins: Mapping[str, str]) -> Settings:
    """Return settings without the system if they override its chip; raises an error if the user named that chip."""
    system = system_of(changed) if "arch" in own else None
    if system is None or system.chip.name == changed.arch:
        return changed
    if is_asked_for(origins.get("arch", "")):
        raise wrong_chip(changed, system)
    usual = "grid" not in own and changed.origin("grid") == changed.origin("system")
    return replace(changed, system=None, grid=None if usual else changed.grid)


def to_json(chosen: Settings) -> dict[str, Any]:
    """The settings that were chosen, with their origins, for another process."""
    names = [row.name for row in SETTINGS if row.name in chosen.origins]
    return {name: [getattr(chosen, name), chosen.origins[name]] for name in names}


def from_json(given: Mapping[str, Any]) -> Settings:
    """Return the settings that ``to_json`` converted; JSON lists become tuples again."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, (value, _) in given.items()}
    return Settings(**cast("Any", values), origins={name: origin for name, (_, origin) in given.items()})
