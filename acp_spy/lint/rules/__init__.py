"""The rules, one module each, in families that do not know each other."""
