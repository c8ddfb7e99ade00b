"""One foreign system a file: each implements a port and translates its errors."""
