"""Measurements of arbiter that anyone can repeat. Imports arbiter, never the other way."""
