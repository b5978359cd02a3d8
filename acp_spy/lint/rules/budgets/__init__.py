"""Family BUD: what a project expects of its own conversations."""
