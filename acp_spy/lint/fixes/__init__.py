"""Repairs for what rules report: one obvious change each, which loses nothing."""
