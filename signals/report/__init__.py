"""Results as sections, then one renderer per form."""
