"""Incompatible protocols that are also called ACP: one module each, and a list of them."""
