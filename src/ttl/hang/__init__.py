"""The explanation of a card's hang: the output of tt-triage and the watcher as a deadlock report (``ttl hang``)."""
