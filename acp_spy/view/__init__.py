"""Captures made visible."""
