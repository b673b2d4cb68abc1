"""
The search for small changes that turn red tests green, as a pytest plugin.

Loaded into the repository's own interpreter; it takes over the run loop, never writes a file of
the checkout, and tells what it found over the socket that the configuration names.
"""
