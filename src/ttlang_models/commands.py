"""The entry points of TT-MLIR's commands, which run before anything is imported, even their own packages."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import NoReturn

from ttl_start import leave, listen
from ttlang_models import foreign, use_ours


def ttmlir_opt() -> NoReturn:
    """The command ``ttmlir-opt``."""
    leave()
    use_ours()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from ttmlir.opt.__main__ import main

    main()


def ttmlir_translate() -> NoReturn:
    """The command ``ttmlir-translate``."""
    leave()
    use_ours()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from ttmlir.translate.main import main

    listen()
    main()


def ttrt() -> NoReturn:
    """The command ``ttrt``: the vendor's if that is installed, because its script has the same name."""
    theirs = foreign().get("ttrt")
    if theirs is not None:
        script = _script_of("ttrt")
        if script is not None:
            print(
                f"note: this is the vendor's ttrt, in {theirs}; ours is python -m ttlang_models ttrt",
                file=sys.stderr,
            )
            sys.exit(script.load()())
    our_ttrt()


def our_ttrt() -> NoReturn:
    """Our ``ttrt``."""
    leave()
    use_ours()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from ttrt.common.main import main

    listen()
    main()


def tt_explorer() -> NoReturn:
    """The command ``tt-explorer``."""
    leave()
    use_ours()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from tt_explorer.main import main

    main()


def _script_of(distribution: str) -> metadata.EntryPoint | None:
    """Return the command that the vendor's distribution installs under its own name."""
    try:
        scripts = metadata.distribution(distribution).entry_points.select(group="console_scripts")
    except metadata.PackageNotFoundError:
        return None
    return next((script for script in scripts if script.name == distribution), None)


COMMANDS = {
    "ttmlir-opt": ttmlir_opt,
    "ttmlir-translate": ttmlir_translate,
    "ttrt": our_ttrt,
    "tt-explorer": tt_explorer,
}
