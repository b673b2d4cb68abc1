"""What GitHub sends, read once: shapes of payloads, and one reader per event and action."""
