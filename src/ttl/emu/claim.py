"""The sentence that stands beside every estimate. Made by ``scripts/calibrate_cycles.py``; do not edit by hand."""

CLAIM = (
    "Cycles are estimates: published measurements that set none of their costs are met within "
    "16 % for single transfers (19), and for programs and loaded memory (6) within 39 %, half "
    "of them within 10 %."
)
