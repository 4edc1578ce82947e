"""The language service: answers the questions of an editor, or any other client, about programs that are being typed.

It handles texts, places, diagnostics and IR, but no protocol: that is ``ttl.lsp``.
"""
