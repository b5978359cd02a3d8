"""Faults: what goes wrong on the wire and with agents, done on purpose, and recorded."""
