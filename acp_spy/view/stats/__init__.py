"""A conversation in figures: what is counted, one module for each thing, and how it is told."""
