"""Operations of TT-Lang in models: declaring and allowing them. ``tt_model.tt_lang`` compiles and runs them."""

from tt_model.layouts.kernel_permissions import allowed
from tt_model.tt_lang.declared_kernels import TTLangKernel, tt_lang_operation

__all__ = ("TTLangKernel", "allowed", "tt_lang_operation")
