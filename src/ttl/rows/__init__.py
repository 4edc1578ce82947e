"""The operation table: one row per operation of the language, a file per family."""
