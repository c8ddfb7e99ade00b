"""Results as files and pages: with where they come from, and side by side."""
