"""The language service: what an editor, or any other client, may ask about programs that are being typed.

It knows texts, places, diagnostics and IR. It knows no protocol: that is ``ttl.lsp``.
"""
