"""Parts that pages are put together from; each is a function from data to Dash components."""
