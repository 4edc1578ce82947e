"""``ttl doctor``: the installed packages, the devices, the language server for editors, and the settings in effect."""

from __future__ import annotations

import glob
import importlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata

from ttl import native, settings
from ttl.cli.mending import CacheFault, faults, state_of
from ttl.cli.options import Parser, add_settings, applied
from ttl.cli.status import Status
from ttl.diag.internal import version
from ttl.session import switches
from ttl.settings import current_chip, current_system
from ttl.sim.native.instruction_sets import instruction_set
from ttl.source.spans import is_our_file

_COMPILERS = ("c++", "g++", "clang++")
_NONE = "not installed"
# The package that TT-MLIR is installed in; only its name is known here.
_MODELS = "ttlang_models"
# The root of a checkout of the repository that has the package.
_SOURCE_TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def main(argv: Sequence[str]) -> int:
    """Run the verb: print text, or one JSON object with ``--format json``.

    The exit code is 1 if ``--fix`` could not repair a fault.
    """
    parser = Parser(
        "doctor", "Show versions, devices, the chip, what an editor needs and the settings in effect."
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="repair the cache folder: make it writable, remove damaged files, move away a file of its name",
    )
    add_settings(parser)
    arguments = parser.parse(argv)
    with applied(arguments) as chosen:
        native.require(chosen)
        folder = settings.cache_folder(chosen)
        mended = [] if folder is None or not arguments.fix else faults(folder, fix=True)
        result = {
            "installation": {**_installation(chosen), "cache": state_of(folder)},
            "chip": _chip(chosen),
            "system": _system(chosen),
            "editor": _editor(),
            "settings": {
                row.name: {"value": getattr(chosen, row.name), "origin": chosen.origin(row.name)}
                for row in settings.SETTINGS
            },
            "ignored variables": list(switches.unknown_variables()),
            "cache faults": [asdict(fault) for fault in mended],
        }
        print(json.dumps(result, indent=2) if chosen.format == "json" else _text(result, chosen, mended))
    return Status.OK if all(fault.mended for fault in mended) else Status.FAILED


def _installation(chosen: settings.Settings) -> dict[str, str]:
    compiler = _compiler()
    return {
        "ttlang": f"{version()} in {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}",
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "numpy": _distribution("numpy"),
        "greenlet": _distribution("greenlet"),
        "torch": _distribution("torch"),
        "ttnn": _ttnn(),
        "models": _models(),
        "native core": _native_core(chosen, compiler),
        "C++ compiler": compiler,
        "devices": ", ".join(sorted(glob.glob("/dev/tenstorrent/*"))) or "none (/dev/tenstorrent is empty)",
    }


def _distribution(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return _NONE


def _ttnn() -> str:
    """Say which library ``import ttnn`` imports. TT-NN itself is not imported, because that opens devices."""
    loaded = sys.modules.get("ttnn")
    spec = loaded.__spec__ if loaded is not None else importlib.util.find_spec("ttnn")
    if spec is None or spec.origin is None or is_our_file(spec.origin):
        return "the one of ttlang (TT-NN itself is not installed)"
    return f"{_distribution('ttnn')} ({spec.origin})"


def _models() -> str:
    """Say where TT-MLIR is, and which packages Python imports if the vendor's are also installed."""
    if importlib.util.find_spec(_MODELS) is None:
        return f'{_NONE} (pip install "ttlang[models]")'
    ours = importlib.import_module(_MODELS)
    theirs: dict[str, str] = ours.foreign()
    if not theirs:
        return f"ttmlir, ttrt and tt_adapter in {ours.folder()}"
    names = ", ".join(f"{name} in {place}" for name, place in theirs.items())
    return f"imported are the vendor's: {names}; ours, in {ours.folder()}, run with python -m {_MODELS}"


def _native_core(chosen: settings.Settings, compiler: str) -> str:
    """The instruction set and threads of the native core, or the reason why it is missing and how to install it."""
    reason = native.why_not()
    if reason is not None:
        first = "install a C++ compiler (g++ 12, clang 15 or newer), " if compiler == _NONE else ""
        script = os.path.join(_SOURCE_TREE, "native", "build.py")
        how = f"run 'python {script}'" if os.path.isfile(script) else "install ttlang from source again"
        return f"missing: {reason}, so NumPy computes; for speed {first}{how}"
    count = native.threads(chosen)
    return f"{instruction_set(chosen)}, {count} thread{'' if count == 1 else 's'}"


def _compiler() -> str:
    for name in _COMPILERS:
        path = shutil.which(name)
        if path is None:
            continue
        try:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        return f"{said.stdout.splitlines()[0]} ({path})"
    return _NONE


def _chip(chosen: settings.Settings) -> dict[str, str]:
    chip = current_chip(chosen)
    return {
        "name": chip.name,
        "compute grid": "x".join(str(extent) for extent in chip.grid),
        "L1 for dataflow buffers": f"{chip.l1_available_bytes} of {chip.l1_bytes} bytes per node",
        "dataflow buffers": f"{chip.dataflow_buffers} per node",
        "semaphores": f"{chip.semaphores} per node",
    }


def _system(chosen: settings.Settings) -> dict[str, str]:
    """Describe the chosen system: its chips and the links between them."""
    system = current_system(chosen)
    if system is None:
        return {
            "name": "none chosen (--system): a mesh of any shape is simulated, its links as those of the chip"
        }
    link, (rows, columns) = system.chip.ethernet, system.shape
    ports = f"{system.channels} {'port' if system.channels == 1 else 'ports'}"
    rate = f"{system.channels * link.bytes_per_second / 1e9:g} GB/s each way, {link.hop_nanoseconds} ns a hop"
    rings = " and ".join(name for name, ring in zip(("rows", "columns"), system.rings, strict=True) if ring)
    name = system.title if system.title == system.name else f"{system.title} ({system.name})"
    result = {"name": name, "chips": f"1 {system.chip.name}", "from": system.sources["shape"]}
    if system.links:
        result |= {
            "chips": f"{system.chips} {system.chip.name} as {rows}x{columns}, a {system.topology}{rings and f' (rings of {rings})'}",
            "links": f"{len(system.links)}, each {ports}, {rate}",
            "bisection": f"{system.bisection_bytes_per_second / 1e9:g} GB/s each way",
            "packets": f"{link.packet_bytes} bytes at most",
        }
    return result


def _editor() -> dict[str, str]:
    """Describe the language server for editors: the packages it needs, and the command that starts it."""
    packages = {name: _distribution(name) for name in ("pygls", "lsprotocol", "xdsl")}
    missing = [name for name, installed in packages.items() if installed == _NONE]
    ready = ", ".join(f"{name} {installed}" for name, installed in packages.items())
    command = shutil.which("ttl")
    own = os.path.join(os.path.dirname(sys.executable), "ttl")
    if command is None:
        on_path = "no: give editors the command above"
    elif os.path.realpath(command) == os.path.realpath(own):
        on_path = command
    else:
        on_path = f"{command}, of another environment: give editors the command above"
    return {
        "language server": f"not installed ({', '.join(missing)}): pip install 'ttlang[lsp]'"
        if missing
        else f"ready ({ready})",
        "command": f"{sys.executable} -m ttl lsp",
        "ttl on the path": on_path,
    }


def _text(result: dict[str, object], chosen: settings.Settings, mended: Sequence[CacheFault]) -> str:
    rows = [f"{'mended' if fault.mended else 'NOT mended'}: {fault.path} {fault.what}" for fault in mended]
    rows += [""] if rows else []
    for title in ("installation", "chip", "system", "editor"):
        part = result[title]
        assert isinstance(part, dict)
        rows.append(f"{title}:")
        rows.extend(f"  {name:<24}{value}" for name, value in part.items())
        rows.append("")
    rows.append("settings:")
    width = max(len(row.name) for row in settings.SETTINGS) + 2
    for row in settings.SETTINGS:
        value = _value(getattr(chosen, row.name))
        rows.append(f"  {row.name:<{width}}{value:<12}{chosen.origin(row.name):<20}{row.flag}, {row.env}")
    ignored = switches.unknown_variables()
    if ignored:
        rows.extend(("", f"not settings, without effect: {', '.join(ignored)}"))
    return "\n".join(rows)


def _value(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "on" if value else "off"
        case (x, y):
            return f"{x}x{y}"
        case _:
            return str(value)
