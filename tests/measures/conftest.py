"""How hypothesis tries the pure parts."""

from hypothesis import HealthCheck, settings

# How long an example takes on a shared machine says nothing about the number that came out.
settings.register_profile("numbers", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("numbers")
