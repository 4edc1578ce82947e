"""A card's hang, explained: what tt-triage and the watcher wrote, as our deadlock report (``ttl hang``)."""
