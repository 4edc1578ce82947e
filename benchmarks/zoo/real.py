"""Models in the configuration under which they were published, with random weights. They need the package ``transformers``."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from zoo.entry import Entry
from zoo.parts import images, tokens


class _First(nn.Module):
    """The first result of a model of ``transformers``, called by position."""

    def __init__(self, model: Any, key: str) -> None:
        super().__init__()
        self.model, self.key = model, key

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        return self.model(**{self.key: value}, return_dict=False)[0]


def _entry(
    name: str, family: str, model: str, value: torch.Tensor, key: str = "input_ids", **options: Any
) -> Entry:
    def make() -> tuple[Any, tuple[Any, ...]]:
        import transformers

        torch.manual_seed(0)
        config = getattr(transformers, f"{model.removesuffix('Model')}Config")(**options)
        config._attn_implementation = "eager"
        return _First(getattr(transformers, model)(config).eval(), key), (value,)

    return Entry(name, family, make, is_real=True)


_TEXT = {"use_cache": False}

REAL = (
    _entry("BERT base", "language", "BertModel", tokens(1, 128, of=30522)),
    _entry("DistilBERT", "language", "DistilBertModel", tokens(1, 128, of=30522)),
    _entry("ELECTRA small", "language", "ElectraModel", tokens(1, 128, of=30522)),
    _entry("GPT-2", "language", "GPT2Model", tokens(1, 128, of=50257), **_TEXT),
    _entry("Pythia 70M", "language", "GPTNeoXModel", tokens(1, 64, of=50304), vocab_size=50304, hidden_size=512,
           num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048, **_TEXT),
    _entry("OPT 125M", "language", "OPTModel", tokens(1, 64, of=50272), **_TEXT),
    _entry("Qwen2 0.5B", "language", "Qwen2Model", tokens(1, 32, of=151936), hidden_size=896, num_hidden_layers=24,
           num_attention_heads=14, num_key_value_heads=2, intermediate_size=4864, **_TEXT),
    _entry("ViT base, 224 x 224", "vision", "ViTModel", images(1, 3, 224, 224), "pixel_values"),
    _entry("ResNet-50, 224 x 224", "vision", "ResNetModel", images(1, 3, 224, 224), "pixel_values"),
    _entry("ConvNeXt tiny, 224 x 224", "vision", "ConvNextModel", images(1, 3, 224, 224), "pixel_values"),
)  # fmt: skip
