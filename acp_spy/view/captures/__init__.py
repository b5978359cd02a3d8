"""The captures in a folder, at a glance: one module to sum one up, one for each way to tell."""
