"""A finding that follows from another is folded into it: which do, and which do not."""
