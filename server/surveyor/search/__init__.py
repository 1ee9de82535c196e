"""From a query to ranked answers."""
