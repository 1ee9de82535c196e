"""What holds for every suite."""

from hypothesis import settings

# Machines that run the suites are shared: how long an example takes says nothing.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
