"""Rules about tool calls: ids, order and status."""
