"""Rules about files and paths."""
