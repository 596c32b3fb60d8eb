"""The DuckDB store: files in, frames out."""

from __future__ import annotations

from signals.store.inventory import Inventory
from signals.store.reports import ForgetReport, LoadOptions, LoadReport, SourceReport
from signals.store.store import Store, create_lake, create_store, open_store

__all__ = [
    "ForgetReport",
    "Inventory",
    "LoadOptions",
    "LoadReport",
    "SourceReport",
    "Store",
    "create_lake",
    "create_store",
    "open_store",
]
