"""Frames kept and given back: the capture file, its records, and the recorder that fills it."""
