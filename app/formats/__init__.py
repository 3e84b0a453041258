"""Files in, rows out: what the field's files hold, and what Adjudge writes. Knows nothing of the rest of `app`."""
