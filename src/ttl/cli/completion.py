"""``ttl --completion SHELL``: a script for bash, zsh or fish that completes verbs, flags, values and error codes.

The script is generated from the help texts of the verbs, so that a shell need not start Python for every key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import quote

from ttl.cli.main import VERBS, helps_of_verbs
from ttl.cli.options import wrong_value
from ttl.cli.status import Status
from ttl.diag import catalog

SHELLS = ("bash", "zsh", "fish")
# Matches a line of a help text that begins with flags; the groups are the flag, its negation and its value.
_FLAGS = re.compile(r"^  (?:-\w, )?(--[a-z][a-z-]*)(?:, (--no-[a-z-]+))?(?: ([^\s,-]\S*))?", re.MULTILINE)
_CHOICES = re.compile(r"\{?([a-z0-9-]+(?:[|,][a-z0-9-]+)+)\}?")

_BASH = """\
_ttl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='VERBS'
  else
    case "$before" in
VALUES
    esac
    if [ -z "$words" ]; then
      case "${COMP_WORDS[1]} $word" in
FLAGS
        explain\\ *) words='CODES' ;;
      esac
    fi
  fi
  COMPREPLY=()
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o bashdefault -o default -F _ttl ttl
"""


def main(argv: Sequence[str]) -> int:
    """Print the script. Raises ``UsageError`` TTL0113 for a shell that is not supported."""
    shell = " ".join(argv)
    if shell not in SHELLS:
        message = f"--completion takes one of {', '.join(SHELLS)}, not '{shell}'"
        raise wrong_value(message, "write 'ttl --completion bash'")
    print(script(shell, dict(helps_of_verbs())), end="")
    return Status.OK


def script(shell: str, helps: Mapping[str, str]) -> str:
    """The script for a shell. ``helps`` are the help texts of the verbs."""
    verbs = {verb.name: verb.help for verb in VERBS}
    flags = {verb: _flags(text) for verb, text in helps.items()}
    if shell == "fish":
        return _fish(flags, verbs)
    values = {flag: words for of in flags.values() for flag, words in of.items() if words}
    text = _BASH.replace("VERBS", " ".join([*verbs, "--help", "--help-all", "--version"]))
    text = text.replace(
        "VALUES", "\n".join(f"      {flag}) words='{words}' ;;" for flag, words in sorted(values.items()))
    )
    text = text.replace(
        "FLAGS", "\n".join(f"        {verb}\\ -*) words='{' '.join(of)}' ;;" for verb, of in flags.items())
    )
    text = text.replace("CODES", " ".join(catalog.codes()))
    return f"autoload -U +X bashcompinit && bashcompinit\n{text}" if shell == "zsh" else text


def _flags(text: str) -> dict[str, str]:
    """The flags of a help text, each with its allowed values, separated by spaces; empty if they are not listed."""
    flags = {}
    for flag, negated, value in _FLAGS.findall(text):
        choices = _CHOICES.fullmatch(value)
        flags[flag] = re.sub(r"[|,]", " ", choices[1]) if choices else ""
        if negated:
            flags[negated] = ""
    return flags


def _fish(flags: Mapping[str, Mapping[str, str]], verbs: Mapping[str, str]) -> str:
    lines = [
        f"complete -c ttl -f -n __fish_use_subcommand -a {verb} -d {quote(help)}"
        for verb, help in verbs.items()
    ]
    for verb, of in flags.items():
        seen = f"complete -c ttl -n '__fish_seen_subcommand_from {verb}'"
        lines += [
            f"{seen} -l {flag[2:]}" + (f" -x -a '{words}'" if words else "") for flag, words in of.items()
        ]
    lines.append(
        f"complete -c ttl -f -n '__fish_seen_subcommand_from explain' -a '{' '.join(catalog.codes())}'"
    )
    return "\n".join(lines) + "\n"
