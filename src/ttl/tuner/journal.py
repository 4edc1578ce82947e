"""Records of trials, from which a second call of ``ttl tune`` continues where the first one was stopped."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence

from ttl.tuner.trial import TunerTrial


class Journal:
    """Trials in a file, one on a line; lines that are cut off or were not written here are ignored."""

    def __init__(self, path: str | None) -> None:
        """Use the file ``path``; with None nothing is stored."""
        self._path = path
        self.problem: OSError | None = None
        """The error that prevents writing: the disk is full, the folder is read-only."""
        self.broken = 0
        """Lines that could not be read."""

    def load(self) -> dict[tuple[int, str], TunerTrial]:
        """Return the earlier trials, by the number of the configuration and the compile options."""
        trials: dict[tuple[int, str], TunerTrial] = {}
        if self._path is None:
            return trials
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except OSError:
            return trials
        for line in lines:
            try:
                trial = TunerTrial(**json.loads(line))
                usable = trial.verdict != "lost" and not trial.schedule
                if usable and type(trial.number) is int and type(trial.cycles) is int:
                    trials[trial.number, trial.compile_option] = trial
            except (ValueError, TypeError):
                self.broken += 1
        return trials

    def add(self, trials: Sequence[TunerTrial]) -> None:
        """Append trials."""
        if self._path is None or self.problem is not None:
            return
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with open(self._path, "a", encoding="utf-8") as file:
                file.writelines(f"{json.dumps(trial.as_json())}\n" for trial in trials)
        except OSError as problem:
            self.problem = problem


def name_of(*parts: object) -> str:
    """Return the name of a journal, from everything that its trials depend on."""
    return (
        hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()[:32] + ".jsonl"
    )
