"""Family SCH."""
