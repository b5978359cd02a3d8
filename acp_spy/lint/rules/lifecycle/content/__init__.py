"""Rules about content blocks and metadata."""
