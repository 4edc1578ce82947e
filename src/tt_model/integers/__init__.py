"""What an integer is: its width, its sign, what the chip's formats hold of it, and what is computed where they do not."""
