"""Operations of TT-Lang inside a model: which one a name means, its kernels for a call, and running it.

The only room of ``ttmlir`` that stands on the whole of ``ttl``: to compile and to run an operation needs its front end, its
checks, its compiler and its executions.
"""

from ttmlir.layouts.kernel_permissions import allowed
from ttmlir.tt_lang.kernels import TTLangKernel, tt_lang_operation

__all__ = ("TTLangKernel", "allowed", "tt_lang_operation")
