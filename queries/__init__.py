"""SQL text, read as package resources by `signals.store` alone."""
