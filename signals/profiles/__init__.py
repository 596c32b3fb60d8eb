"""Service-time profiles: declared data with their source and fit error."""
