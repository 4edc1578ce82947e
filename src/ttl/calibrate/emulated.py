"""The kernels of the plan on the emulated chip, with any costs: the rows of ``ttl profile --measured``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from ttl import settings
from ttl.arch import chip_named
from ttl.arch.costs_file import written
from ttl.calibrate.plan import PlannedKernel
from ttl.emu.profile import Profile, profile
from ttl.emu.recorder import RecordedLaunch, collecting
from ttl.session import CHOSEN, Session
from ttl.settings import Settings

# As the plan's programs are on a card, whatever else the user has chosen.
_PLAIN: Mapping[str, settings.Value] = MappingProxyType(
    {
        "target": "emu", "check": "off", "system": None, "grid": None, "emu_seed": None, "emu_hostile": None,
        "schedule": None, "compile_option": "", "compare": False, "stats": False,
    }
)  # fmt: skip


class Emulation:
    """Programs of the plan that are loaded once, on the emulated chip of one name."""

    def __init__(self, chip: str, folder: Path, chosen: Settings) -> None:
        """``folder``: for the programs and the costs of each run; ``chosen``: by the user."""
        self._chip, self._folder = chip, folder
        # Chips are large, and go with the session.
        self._session = Session({CHOSEN: chosen})
        self._launches: dict[str, Callable[[], None]] = {}
        self._known: dict[tuple[str, tuple[tuple[str, int], ...]], Profile] = {}

    def profile(self, kernel: PlannedKernel, costs: Mapping[str, int]) -> Profile:
        """Return the profile of a kernel with these costs and the chip's own for the others; each combination runs once."""
        own = chip_named(self._chip).costs.by_name()
        changed = {name: value for name, value in costs.items() if value != own[name].value}
        key = kernel.name, tuple(changed.items())
        if key not in self._known:
            self._known[key] = self._run(kernel, changed)
        return self._known[key]

    def _run(self, kernel: PlannedKernel, costs: Mapping[str, int]) -> Profile:
        path = self._folder / "trial.toml"
        path.write_text(written(self._chip, costs, ()), encoding="utf-8")
        kept = _CollectedProfiles()
        chosen = {**_PLAIN, "arch": self._chip, "costs": str(path)}
        with self._session.entered(), settings.override(origin="ttl calibrate", **chosen), collecting(kept):
            self._launch(kernel)()
        return kept.profiles[0]

    def _launch(self, kernel: PlannedKernel) -> Callable[[], None]:
        if kernel.name not in self._launches:
            path = self._folder / f"{kernel.name}.py"
            path.write_text(kernel.source, encoding="utf-8")
            names: dict[str, Any] = {"__name__": "calibrate", "__file__": str(path)}
            exec(compile(kernel.source, str(path), "exec"), names)
            self._launches[kernel.name] = names["launch"]
        return self._launches[kernel.name]


@contextmanager
def emulation(chip: str, chosen: Settings) -> Iterator[Emulation]:
    """Yield an emulation of a named chip, with a temporary folder of its own."""
    with TemporaryDirectory(prefix="ttl-calibrate-") as folder:
        yield Emulation(chip, Path(folder), chosen)


class _CollectedProfiles:
    """The profiles of launches."""

    wants_advice = False

    def __init__(self) -> None:
        self.profiles: list[Profile] = []

    def add(self, launch: RecordedLaunch) -> None:
        """Keep its profile; errors are raised after all listeners were notified."""
        if launch.stopped is None:
            self.profiles.append(profile(launch.run, launch.chip, launch.description, launch=launch.name))
