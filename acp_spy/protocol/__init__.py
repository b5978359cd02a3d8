"""What official ACP says, as data, and two ways to compare values with it."""
