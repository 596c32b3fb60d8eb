"""Frames and results in, plotly figures out; no maths beyond layout."""
