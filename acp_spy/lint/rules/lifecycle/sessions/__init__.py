"""Rules about sessions: open, load, resume, list, close, delete."""
