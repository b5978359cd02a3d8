"""What may change the traffic on its way: scripts, faults, fixes, translation, breakpoints."""
