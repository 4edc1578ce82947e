"""Reports of runs: what a launch did, as data for the page of ``--report`` and for programs.

The schema is in docs/reference/report.md. Imported only where a report is asked for.
"""
