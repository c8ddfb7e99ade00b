"""The service: arbiter over HTTP. ``app`` puts it together; the routes are in ``routes_*``."""
