"""Statistics of a conversation: one module for each thing that is counted, and the renderers."""
