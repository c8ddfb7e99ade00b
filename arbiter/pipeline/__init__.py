"""The way of a record, stage by stage; standard library only. Read submit.py first."""
