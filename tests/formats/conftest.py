"""No test of the formats looks at the clock, Hypothesis' own limit on the time of an example included."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("without-deadline", deadline=None)
settings.load_profile("without-deadline")
