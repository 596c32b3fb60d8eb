"""The DuckDB store: files in, frames out."""
