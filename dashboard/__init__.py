"""Dash app."""
