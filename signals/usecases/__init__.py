"""Where store and core meet: one file per thing that a user wants."""
