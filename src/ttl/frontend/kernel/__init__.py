"""The kernel domain: values that are known only on the node become values of the IR."""
