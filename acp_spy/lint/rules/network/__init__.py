"""Family NET."""
