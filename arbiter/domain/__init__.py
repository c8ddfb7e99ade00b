"""What arbiter knows and decides: frozen values and pure functions, standard library only."""
