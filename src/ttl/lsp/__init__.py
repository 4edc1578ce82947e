"""The language server: the language service (``ttl.service``) in the Language Server Protocol. ``ttl lsp`` starts it."""
