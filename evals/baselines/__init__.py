"""What others do with two facts, as judges, so that it is measured on the same cases.

A store that acts on a rule does not doubt it: where its rule says nothing of its own certainty, the verdict
has confidence 1. Of pairs that a rule leaves alone it keeps both, which is our ``unrelated``.
"""
