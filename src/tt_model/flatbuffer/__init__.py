"""Files of TT-MLIR: flatbuffers, written and read by their schemas, without generated code.

``schemas/`` contains the schemas, ``schema`` parses them, ``encode`` and ``decode`` write and read buffers of any
schema. ``system_desc`` converts between ``.ttsys`` files and the compiler's system descriptions.
"""
