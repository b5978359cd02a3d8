"""The captures in a folder, at a glance: one module to sum one up, and one for each format."""
