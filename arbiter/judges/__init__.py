"""What gives verdicts: exact, keyed, local, llm and the cascade over them."""
