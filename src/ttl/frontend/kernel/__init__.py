"""The kernel domain: what is known on the node only becomes values of the IR."""
