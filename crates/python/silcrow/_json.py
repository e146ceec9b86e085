"""JSON as the other half reads it: strings have whole characters, and numbers are finite."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from collections.abc import Callable
from typing import Any


def write_json(value: Any, default: Callable[[Any], Any] = str) -> str:
    """Writes a value as JSON. What JSON does not have becomes its text, and a number that is not finite null.

    >>> write_json({"ratio": float("nan"), "name": "a\\udcff"})
    '{"ratio": null, "name": "a�"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=default, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, default=lambda one: _finite(default(one)))
    return whole(text)


def plain(value: Any) -> Any:
    """Returns a value that JSON has in place of one that it has not.

    :raises TypeError: if there is none, as for a generator.
    """
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, _TEXTS):
        return str(value)
    raise TypeError(f"JSON has no {type(value).__name__}; return a text, or what lists and dictionaries can hold")


def whole(text: str) -> str:
    """Joins the halves of characters in a text, and replaces those that are alone."""
    if text.isascii() or not any("\ud800" <= one <= "\udfff" for one in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def split_half(text: str) -> tuple[str, str]:
    """Splits off the first half of a character at the end of a text, which the next piece may complete."""
    at = len(text) - 1 if "\ud800" <= text[-1:] <= "\udbff" else len(text)
    return whole(text[:at]), text[at:]


_TEXTS = (decimal.Decimal, datetime.date, datetime.time, datetime.timedelta, pathlib.PurePath, uuid.UUID)

REPLACEMENT = "\ufffd"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return value
