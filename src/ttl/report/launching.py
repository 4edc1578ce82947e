"""``--report``: a called operation runs on the target of the settings, and its run is recorded."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ttl.check.launch import before
from ttl.diag import TTLError
from ttl.emu.recorder import collecting
from ttl.emu.target import launch as launch_emulated
from ttl.lang.check import fail
from ttl.lang.context import CURRENT
from ttl.lang.operation import Operation
from ttl.report.collector import REPORTS, ReportCollector, ReportListener
from ttl.report.designs import with_design
from ttl.report.mesh import with_mesh
from ttl.report.records import LaunchReport
from ttl.report.simulated import launch_report
from ttl.report.text import write
from ttl.rules.launches import nested
from ttl.settings import Settings, current_chip, override
from ttl.sim.engine import Engine
from ttl.sim.event_log import EventLog
from ttl.sim.launch import observed
from ttl.sim.placement import Launch, launches
from ttl.sim.schedules import Originals, explore
from ttl.source.files import display_name


def launch(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings) -> None:
    """Run an operation in the simulator or on the emulated chip. Raises the errors of the run."""
    collector = REPORTS.get() or _of_this_process(chosen)
    if chosen.target == "emu":
        with collector.failures():
            _emulate(operation, args, kwargs, chosen, collector)
        return
    if CURRENT.get() is not None:
        fail(nested(operation.function.__name__))
    with collector.failures():
        refused = _refused(operation, args, kwargs, chosen) if chosen.check == "on" else None
        try:
            _simulate_all(operation, args, kwargs, chosen, collector)
        except TTLError:
            if refused is None:
                raise
        if refused is not None:
            raise refused


def _emulate(
    operation: Operation,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    chosen: Settings,
    collector: ReportCollector,
) -> None:
    """Run on the emulated chip.

    Most errors are found before anything runs: the launch still runs without the check, because a report shows how far
    it comes; an operation that cannot be compiled runs in the simulator.
    """

    def finished(report: LaunchReport, device: int | None) -> LaunchReport:
        return with_mesh(with_design(report, operation.design), device, args, kwargs)

    with collecting(ReportListener(collector, finished)):
        try:
            launch_emulated(operation, args, kwargs, chosen)
        except TTLError:
            if collector.has_failed:
                raise
            # Without the check, the run may fail in any manner: the exception that was raised first says why.
            if chosen.check != "off":
                collector.refuse("refused by the check, run anyway")
                with suppress(Exception), override(origin="the report", check="off"):
                    launch_emulated(operation, args, kwargs, replace(chosen, check="off"))
            if not collector.has_failed:
                collector.refuse("in the simulator, because it cannot be compiled")
                with suppress(TTLError):
                    _simulate_all(operation, args, kwargs, replace(chosen, target="sim"), collector)
            raise


def _refused(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
) -> TTLError | None:
    """Return the error that the check of an operation's first call raises, or None.

    The operation runs nevertheless, because a report shows how far it comes.
    """
    try:
        before(operation, args, kwargs, chosen)
    except TTLError as refused:
        return refused
    return None


def _simulate_all(
    operation: Operation,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    chosen: Settings,
    collector: ReportCollector,
) -> None:
    for item in launches(operation, args, kwargs, current_chip(chosen), chosen):
        _simulate(item, collector, args, kwargs)


def _simulate(
    launched: Launch, collector: ReportCollector, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Run one launch in the simulator; if its kernels run in several orders, the first order is reported.

    The report of a failed launch shows it up to the failure. The arguments are those of the call, on all devices.
    """

    def add(engine: Engine, log: EventLog) -> None:
        report = with_design(launch_report(engine, launched, log), launched.operation.design)
        report = with_mesh(report, launched.device, args, kwargs)
        if log.failed:
            collector.add_failed(report)
        else:
            collector.add(report)

    waiting = [EventLog(add)]

    def run(item: Launch, seed: int | None) -> Originals:
        return observed(item, waiting.pop() if waiting else None, seed)

    if launched.settings.schedules > 1:
        explore(launched, run)
    else:
        run(launched, launched.settings.schedule_seed)


def _of_this_process(chosen: Settings) -> ReportCollector:
    """The collector in a program that ``ttl`` does not run: the report is written when the program ends."""
    program = display_name(os.path.abspath(sys.argv[0])) if sys.argv and sys.argv[0] else "python"
    collector = ReportCollector(title=program, command=" ".join(["python", program, *sys.argv[1:]]))
    REPORTS.set(collector)
    path = chosen.report
    assert path is not None
    atexit.register(lambda: write(path, collector.to_object()))
    return collector
