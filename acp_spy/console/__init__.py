"""
The console: captures on a full screen, live, with keys and mouse. The one user of Textual.

`reader.py` makes rows of a capture and puts them on a shelf (`shelf.py`), in a process of its own
(`reading.py`), so that no key waits for it. `document.py` finds the rows that are on the screen,
wherever that is. The rest are widgets.
"""
