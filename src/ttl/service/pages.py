"""Pages of error codes as files that an editor can open."""

from __future__ import annotations

import os
from pathlib import Path

import ttl.diag
from ttl import settings
from ttl.diag import catalog


def page_file(code: str) -> Path | None:
    """The file with the page of an error code, written into the cache folder if needed; None for an unknown code.

    If there is no cache folder, or it cannot be written, it is the file of the package, in which programs are stored as
    changes of other programs (``ttl.diag.programs``).
    """
    if code not in catalog.codes():
        return None
    kept, folder = Path(ttl.diag.__file__).parent / "codes" / f"{code}.md", settings.cache_folder()
    if folder is None:
        return kept
    shown, content = Path(folder) / "pages" / kept.name, catalog.page(code).text.encode()
    try:
        if not shown.is_file() or shown.read_bytes() != content:
            os.makedirs(shown.parent, exist_ok=True)
            settings.write_kept(str(shown), content)
    except OSError:
        return kept
    return shown
