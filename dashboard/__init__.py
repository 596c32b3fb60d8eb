"""The Dash app: pages over a source of results. Computes nothing, opens no database, reads no query."""
