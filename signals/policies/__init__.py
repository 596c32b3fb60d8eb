"""Scaling laws, one file each, and their registry; knows nothing of the fleet."""
