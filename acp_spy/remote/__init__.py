"""
Conversations over HTTP and WebSocket: recorded on their way, bridged to stdio, served from stdio.

`exchange.py` decides what is recorded, and knows neither sockets nor trio. What carries bytes calls
it first, and then sends them on: recorded before delivered, as on stdio.
"""
