"""Other tongues that call themselves ACP: one module each, and a list of them."""
