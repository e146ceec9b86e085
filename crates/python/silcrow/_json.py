"""JSON as the other half reads it: strings have whole characters, and numbers are finite."""

from __future__ import annotations

import json
import math
from typing import Any


def write_json(value: Any) -> str:
    """Writes a value as JSON. What JSON does not have becomes its text, and a number that is not finite null.

    >>> write_json({"ratio": float("nan"), "name": "a\\udcff"})
    '{"ratio": null, "name": "a�"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, default=str)
    return whole(text)


def whole(text: str) -> str:
    """Joins the halves of characters in a text, and replaces those that are alone."""
    if text.isascii() or not any("\ud800" <= one <= "\udfff" for one in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def split_half(text: str) -> tuple[str, str]:
    """Splits off the first half of a character at the end of a text, which the next piece may complete."""
    at = len(text) - 1 if "\ud800" <= text[-1:] <= "\udbff" else len(text)
    return whole(text[:at]), text[at:]


REPLACEMENT = "\ufffd"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return value
