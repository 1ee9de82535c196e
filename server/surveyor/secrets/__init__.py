"""Credentials in texts: found by their form or by the name that they stand under, and masked.

Everything that enters Surveyor passes `mask_bytes` or `mask_text`, and everything that is read
from the disk again to be shown. Lines and columns stay where they are.
"""

from __future__ import annotations

from surveyor.secrets.masking import (
    SecretSpan,
    find,
    mask_bytes,
    mask_diff,
    mask_text,
    mask_values,
)

__all__ = ["SecretSpan", "find", "mask_bytes", "mask_diff", "mask_text", "mask_values"]
