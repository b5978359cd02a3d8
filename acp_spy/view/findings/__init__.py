"""Findings made visible: one module per format, each with one `render`."""
