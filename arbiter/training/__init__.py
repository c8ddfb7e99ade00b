"""Training of the local judge; needs the ``build`` extra. Nothing here is used when judging."""
