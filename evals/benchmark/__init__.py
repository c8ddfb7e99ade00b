"""Speed and size: how fast records are answered, what grows with the store, and where the time goes."""
