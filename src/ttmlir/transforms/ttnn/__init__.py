"""The decisions of ``convert-ttir-to-ttnn``, by kind."""
