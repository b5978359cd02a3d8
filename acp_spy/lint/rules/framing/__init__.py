"""Family FRM."""
