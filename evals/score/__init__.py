"""What a run is worth: pure functions over answered cases, each figure beside what it leaves out."""
