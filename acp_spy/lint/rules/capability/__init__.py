"""Family CAP."""
