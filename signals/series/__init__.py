"""Fixed grids, alignment, smoothing, generated series; nothing here knows what a signal is."""
