"""What each kind of operation does with the tensors of a program."""
