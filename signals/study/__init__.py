"""Statistics of candidate signals: lag, noise, association, response, verdict."""
