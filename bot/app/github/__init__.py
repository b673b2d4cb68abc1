"""jam on GitHub: what comes in, what is accepted, how a session runs there and what is told."""
