"""Telemetry from a Prometheus-compatible server: asked gently, in windows, spooled as files for the loader."""
