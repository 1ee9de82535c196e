"""Surveyor: one map of the code for a programmer's editor and their coding agent."""

import os

__version__ = "0.1.0"

for _variable in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY"):
    # Nothing is sent anywhere: ONNX Runtime tells its maker of the machine as soon as it is
    # imported, and writes an id of it into the home, unless this is set by then.
    os.environ.setdefault(_variable, "1")
