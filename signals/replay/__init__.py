"""Policies on a simulated fleet: visibility, the tick loop, accounting."""
