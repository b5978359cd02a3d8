"""Scripts: plain functions of the user's that see every message and may change it."""
