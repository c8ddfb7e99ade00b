"""The pages at ``/review``: the queue, its items, and the dashboard."""
