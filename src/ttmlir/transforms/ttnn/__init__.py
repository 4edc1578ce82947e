"""What ``convert-ttir-to-ttnn`` decides, by kind."""
