"""What designs ask a language model, and what is lost by asking less."""
