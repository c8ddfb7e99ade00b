"""What comes in from and goes out to other systems: records, dumps, exports, reports."""
