"""Where the commands of TT-MLIR begin: before anything is imported, the packages they are made of included."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import NoReturn

from ttl_start import leave, listen
from ttlang_models import foreign, use_ours


def ttmlir_opt() -> NoReturn:
    """The command ``ttmlir-opt``, which listens when its modules are there."""
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
    """The command ``ttrt``: the vendor's where that is installed, which would have the same script."""
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
    """The command ``tt-explorer``, which listens when its server serves."""
    leave()
    use_ours()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from tt_explorer.main import main

    main()


def _script_of(distribution: str) -> metadata.EntryPoint | None:
    """The command that the vendor's distribution installs under its own name."""
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
