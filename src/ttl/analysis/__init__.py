"""Analyses of the IR that checks, passes and code generation share: each exists once, and changes nothing."""
