"""Breakpoints: frames that wait for a person, and the socket by which that person acts."""
