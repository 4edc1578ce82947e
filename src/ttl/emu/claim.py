"""What is said beside every estimate. Made by ``scripts/calibrate_cycles.py``; do not edit by hand."""

CLAIM = "Cycles are estimates, compared with published measurements in docs/reference/cycles.md."
