"""Files of TT-MLIR: flatbuffers, written and read by their schemas, without generated code.

``schemas/`` has the schemas, ``schema`` reads them, ``encode`` and ``decode`` write and read buffers of any of them.
``system_desc`` is what a ``.ttsys`` file is to the compiler.
"""
