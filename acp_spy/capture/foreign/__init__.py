"""Other tools' files, read as captures: one module per format."""
