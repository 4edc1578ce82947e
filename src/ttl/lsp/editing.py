"""Changes of the text: renaming, the fixes of findings, and other edits that are offered at a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ttl.lsp.convert import path_of
from ttl.lsp.diagnostics import converted
from ttl.lsp.questions import Questions
from ttl.service import fixing, rename
from ttl.service.actions import actions
from ttl.service.analysis import Analysis

if TYPE_CHECKING:
    from ttl.service.actions import Action

# The command that applies an edit, for a client without code actions.
APPLY = "ttl.applyEdit"


class Editing(Questions):
    """The answers to requests that change the text."""

    async def prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """Return the name to rename; if it cannot be renamed, raise the reason, which the client shows as an error."""
        about = await self.ask(
            params.text_document.uri,
            lambda analysis: rename.prepare(analysis, *self._place(analysis, params.position)),
            newest=True,
        )
        if isinstance(about, rename.RefusedRename):
            raise _refused(about)
        if about is None:
            return None
        return types.PrepareRenamePlaceholder(range=self._range(about.span), placeholder=about.name)

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Return the edits that rename the name at a position."""
        edits = await self.ask(
            params.text_document.uri,
            lambda analysis: rename.rename(
                analysis, *self._place(analysis, params.position), params.new_name
            ),
            newest=True,
        )
        if isinstance(edits, rename.RefusedRename):
            raise _refused(edits)
        return None if edits is None else self._workspace_edit(edits)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        """Return the actions at a place: the fixes of findings, and other edits.

        A client without support for actions gets commands, which make it apply the edit.
        """
        first, last = params.range.start.line + 1, params.range.end.line + 1
        only = params.context.only
        fixes = await self.ask(
            params.text_document.uri,
            lambda analysis: self._fixes(analysis, first, last, params.context),
            newest=True,
        )
        offered = await self.ask(params.text_document.uri, lambda analysis: actions(analysis, first, last))
        every = [
            *(fixes or ()),
            *self._rewrites(offered or ()),
        ]
        wanted = [action for action in every if only is None or _is_wanted(action.kind, only)]
        if self._server.abilities.action_literals:
            return [*wanted]
        converter = self._server.converter
        return [
            types.Command(title=action.title, command=APPLY, arguments=[converter.unstructure(action.edit)])
            for action in wanted
        ]

    def _fixes(
        self, analysis: Analysis, first: int, last: int, context: types.CodeActionContext
    ) -> list[types.CodeAction]:
        """The fixes of the findings on some lines, all fixes of each of their codes, and all fixes of the file."""
        kinds = types.CodeActionKind
        codes: list[str] = []
        actions = []
        for one in fixing.quick_fixes(analysis, first, last):
            codes.append(one.finding.code)
            diagnostic = converted(
                one.finding,
                analysis.path,
                self._server.lines,
                self._server.encoding,
                self._server.abilities,
            )
            alike = [
                given
                for given in context.diagnostics
                if given.code == diagnostic.code and given.range == diagnostic.range
            ]
            actions.append(
                types.CodeAction(
                    title=one.title,
                    kind=kinds.QuickFix,
                    diagnostics=alike or [diagnostic],
                    edit=self._workspace_edit(one.edits),
                    is_preferred=True,
                )
            )
        for code in fixing.fixable_codes(analysis, codes):
            edits = fixing.fix_all(analysis, code)
            if edits:
                title = f"Fix all {code} in this file"
                edit = self._workspace_edit(edits)
                actions.append(types.CodeAction(title=title, kind=kinds.QuickFix, edit=edit))
        only = context.only or ()
        if any(str(getattr(kind, "value", kind)).startswith("source") for kind in only):
            edits = fixing.fix_all(analysis)
            if edits:
                edit = self._workspace_edit(edits)
                actions.append(
                    types.CodeAction(title="Fix all that can be fixed", kind=kinds.SourceFixAll, edit=edit)
                )
        return actions

    async def fix_all(self, uri: str, code: str | None) -> dict[str, Any]:
        """Handle the command ``ttl.fixAll``: make the client apply all fixes of a code, or all fixes, of the newest text."""
        edits = await self.ask(uri, lambda analysis: fixing.fix_all(analysis, code), newest=True)
        if edits is None:
            return _failed(f"{path_of(uri)} is not checked")
        if not edits:
            return {**_failed(""), "status": "ok", "output": f"nothing to fix{f' of {code}' if code else ''}"}
        return await self.apply(
            types.ApplyWorkspaceEditParams(edit=self._workspace_edit(edits), label="Fix all")
        )

    async def apply(self, params: types.ApplyWorkspaceEditParams) -> dict[str, Any]:
        """Make the client apply an edit; return the result of its command."""
        if not self._server.abilities.applies_edits:
            return _failed("this editor does not apply edits of a server")
        applied = await self._server.workspace_apply_edit_async(params)
        if applied.applied:
            return {**_failed(""), "status": "ok"}
        return _failed(applied.failure_reason or "the editor has not applied the edit")

    def _rewrites(self, offered: Sequence[Action]) -> list[types.CodeAction]:
        return [
            types.CodeAction(
                title=action.title,
                kind=types.CodeActionKind(action.kind),
                edit=self._workspace_edit(action.edits),
            )
            for action in offered
        ]


def _failed(reason: str) -> dict[str, Any]:
    return {"status": "failed", "output": "", "reason": reason}


def _is_wanted(kind: types.CodeActionKind | str | None, only: Sequence[types.CodeActionKind | str]) -> bool:
    """Whether a kind of action is among those that a client asks for, or below one of them."""
    own = str(getattr(kind, "value", kind))
    names = [str(getattr(name, "value", name)) for name in only]
    return any(not name or own == name or own.startswith(f"{name}.") for name in names)


def _refused(reason: rename.RefusedRename) -> Exception:
    from pygls.exceptions import JsonRpcException

    return JsonRpcException(message=reason.reason, code=types.LSPErrorCodes.RequestFailed.value)
