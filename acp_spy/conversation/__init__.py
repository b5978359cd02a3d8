"""The fold: everything that was said so far, as state. Written by the tracker alone."""
