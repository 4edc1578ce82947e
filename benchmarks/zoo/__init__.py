"""Sixty models of eight families: what ``benchmarks/model_table.py`` compiles, runs and judges."""

from zoo.entry import FAMILIES, Entry
from zoo.language import LANGUAGE
from zoo.others import OTHERS
from zoo.real import REAL
from zoo.training import TRAINING
from zoo.vision import VISION

ENTRIES: tuple[Entry, ...] = (*VISION, *LANGUAGE, *OTHERS, *TRAINING, *REAL)

__all__ = ["ENTRIES", "FAMILIES", "Entry"]
