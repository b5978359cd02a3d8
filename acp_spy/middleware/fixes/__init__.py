"""Repair what rules report, on its way and in a capture."""
