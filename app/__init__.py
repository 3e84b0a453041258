"""Adjudge: relevance grades that two people reach alike, before anything is released."""
