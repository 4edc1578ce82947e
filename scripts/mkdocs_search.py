"""Hook of mkdocs: what the search of the site finds first.

A page of the guides comes before a page of the reference, and both before an error page or a decision record, when
the words are the same. Words that users type and that a page does not have in its title are listed in ``WORDS``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

WEIGHTS = {
    "index.md": 8.0,
    "models.md": 2.0,
    "tutorial/": 8.0,
    "guides/": 8.0,
    "ttmlir/reference/": 1.0,
    "ttmlir/": 6.0,
    "reference/command-line.md": 4.0,
    "reference/language.md": 2.0,
    "reference/operations.md": 2.0,
    "reference/": 1.0,
    "errors/": 0.3,
    "internals/": 0.5,
    "adr/": 0.1,
}
"""How much a word on a page counts, by the beginning of the page's path. The first beginning that fits is taken."""

WORDS = {
    "index.md": "install installing installation setup pip start",
    "tutorial/index.md": "hello world first kernel beginner",
    "guides/deadlocks.md": "hang hangs hanging stuck deadlock freezes timeout",
    "guides/with-a-card.md": "card hardware device real silicon reset",
    "guides/debugging.md": "print debugger breakpoint nan step inspect",
    "guides/numerics.md": "wrong result results precision accuracy rounding bfloat16 float32 tolerance",
    "guides/checking.md": "lint static check CI memory L1 fit data race",
    "guides/errors.md": "error message traceback suppress",
    "guides/performance.md": "slow simulation simulator speed",
    "guides/profiling.md": "profile profiler slow kernel cycles bottleneck",
    "guides/fast-kernels.md": "faster optimize optimise speed",
    "guides/tuning.md": "tune autotune tuner search configuration",
    "guides/compiling.md": "compile C++ metalium metal",
    "guides/your-own-cpp.md": "extern C++",
    "guides/coming-from.md": "CUDA triton metalium",
    "guides/editor.md": "vscode vim neovim LSP autocomplete",
    "guides/ai-agents.md": "LLM agent MCP",
    "guides/meshes.md": "mesh devices multi-device collective",
    "guides/several-chips.md": "ethernet multi-chip fabric",
    "guides/ready-operations.md": "softmax gelu relu matmul layernorm library",
    "ttmlir/your-model.md": "torch pytorch first model compile",
    "ttmlir/from-pytorch.md": "torch pytorch module export",
    "ttmlir/from-jax.md": "jax flax stablehlo",
    "ttmlir/run-a-model.md": "ttrt golden PCC wrong",
    "ttmlir/estimates.md": "ttrt perf cost",
    "ttmlir/optimizer.md": "optimizer layout sharding",
    "ttmlir/explorer.md": "graph viewer explorer browser",
}
"""What users type to find a page."""


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Give the page its weight and its words, unless its own front matter does."""
    path = page.file.src_uri
    weight = next((weight for start, weight in WEIGHTS.items() if path.startswith(start)), 1.0)
    page.meta.setdefault("search", {"boost": weight})
    if path in WORDS:
        page.meta.setdefault("tags", WORDS[path].split())
