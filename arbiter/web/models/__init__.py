"""The JSON of the service as pydantic models: what OpenAPI shows and what answers are checked against."""
