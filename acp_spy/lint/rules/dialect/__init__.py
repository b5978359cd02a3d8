"""Family DIA."""
