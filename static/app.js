// The desk and its keys.
