"""Functions as tools: what a model reads of them, and how its arguments become theirs."""

from __future__ import annotations

import asyncio
import collections.abc
import concurrent.futures
import contextvars
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import pathlib
import re
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from ._json import plain, write_json

_NONE = type(None)


class ToolError(Exception):
    """A call that has failed, in words for the model: what was wrong, and what to do instead."""


@dataclasses.dataclass(frozen=True)
class Call:
    """The call that a function works for. A parameter with this type gets it, and no model sees it."""

    name: str
    conversation: str
    turn: int
    id: str
    #: Whether an earlier process began the call and ended before it did.
    repeated: bool


@dataclasses.dataclass(frozen=True)
class Output:
    """An output with more than its text: a ``summary`` for people, and a ``value`` for ``$name``."""

    content: str
    summary: str | None = None
    value: Any = None


@dataclasses.dataclass(frozen=True)
class Tool:
    """A function that a model may call. :func:`tool` makes one."""

    function: Callable[..., Any]
    name: str
    description: str
    schema: dict[str, Any]
    approval: bool = False
    read_only: bool = False
    idempotent: bool = False
    sends_out: bool = False
    timeout: float = 60.0
    retries: int = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def _facts(self) -> dict[str, Any]:
        facts = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del facts["function"]
        return facts

    async def _run(self, args: Mapping[str, Any], call: Call) -> Output:
        arguments = _arguments(self.function, args, call)
        if inspect.iscoroutinefunction(inspect.unwrap(self.function)):
            result = await self.function(**arguments)
        else:
            context = contextvars.copy_context()
            # Not in the default threads, which are few, and where a call would wait for others.
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(_THREADS, context.run, lambda: self.function(**arguments))
            if inspect.isawaitable(result):
                result = await result
        return output_of(result)


@typing.overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@typing.overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    approval: bool = False,
    read_only: bool = False,
    idempotent: bool = False,
    sends_out: bool = False,
    timeout: float = 60.0,
    retries: int = 0,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    approval: bool = False,
    read_only: bool = False,
    idempotent: bool = False,
    sends_out: bool = False,
    timeout: float = 60.0,
    retries: int = 0,
) -> Any:
    """Makes a tool of a function, whose name, docstring and types are what a model reads.

    >>> @tool(read_only=True)
    ... def weather(city: str, days: int = 1) -> str:
    ...     "Returns the forecast of a city."
    ...     return f"Sun for {days} days."
    >>> weather.schema["required"]
    ['city']

    :param approval: a person has to say yes to each call.
    :param read_only: a call changes nothing, so it may start while the model still writes, and a run that
        is continued after a crash may repeat it.
    :param idempotent: two calls have the effect of one, so it may be repeated.
    :param sends_out: a call sends something to other machines.
    :param timeout: how long an attempt may take, in seconds. A function that is not asynchronous works on in
        its thread afterwards, since no thread can be stopped.
    :param retries: how often a failed call is tried again.
    """

    if timeout <= 0:
        raise ValueError(f"timeout: use a number of seconds above 0, and not {timeout!r}")

    def make(function: Callable[..., Any]) -> Tool:
        if not inspect.isroutine(function):
            raise TypeError(f"a tool is a function or a method, and not {function!r}; wrap it in a function")
        text = inspect.getdoc(function) or ""
        return Tool(
            function,
            name or str(getattr(function, "__name__", type(function).__name__)),
            description or _first_part(text) or "A function without a description.",
            schema_of(function),
            approval,
            read_only,
            idempotent,
            sends_out,
            timeout,
            retries,
        )

    return make if function is None else make(function)


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the JSON schema of a function's parameters.

    Types may be those of JSON, ``Literal``, ``Enum``, ``Optional``, lists and dictionaries of others,
    dates, ``Path``, ``Decimal``, ``UUID``, dataclasses, ``TypedDict``, and models of pydantic. ``Annotated[str, "text"]`` describes a parameter,
    and so do lines ``name: text`` under ``Args:`` and ``:param name: text`` in the docstring.

    :raises TypeError: for a type without a schema, such as ``bytes``.
    """
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    described = _parameters(inspect.getdoc(function) or "")
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{function.__name__}: a model cannot name the parameter `{parameter}`")
        hint = hints.get(name, str if parameter.annotation is parameter.empty else Any)
        if hint is Call:
            continue
        try:
            schema = _schema(hint, definitions)
        except TypeError as why:
            raise TypeError(f"{function.__name__}: the parameter `{name}` has a type without a schema: {why}") from None
        if name in described and "description" not in schema:
            schema = {**schema, "description": described[name]}
        if parameter.default is parameter.empty:
            required.append(name)
        elif _is_plain(parameter.default):
            schema = {**schema, "default": parameter.default}
        properties[name] = schema
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {**schema, "$defs": definitions} if definitions else schema


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hint = _resolved(hint)
    origin, args = get_origin(hint), get_args(hint)
    if hint in (Any, object):
        return {}
    if origin is typing.Annotated:
        texts = [one for one in args[1:] if isinstance(one, str)]
        schema = _schema(args[0], definitions)
        return {**schema, "description": texts[0]} if texts else schema
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(one, definitions) for one in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if _collection(origin) or _collection(hint):
        if origin is tuple and args and args[-1] is not Ellipsis:
            items = [_schema(one, definitions) for one in args]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": _schema(args[0], definitions)} if args else {"type": "array"}
    if _is_subclass(origin, Mapping) or hint in (dict, Mapping):
        if args and _resolved(args[0]) not in (str, Any):
            raise TypeError(f"the keys of a JSON object are texts, and those of {hint} are not")
        value = args[1] if len(args) == 2 else Any
        extra = _schema(value, definitions)
        return {"type": "object", "additionalProperties": extra} if extra else {"type": "object"}
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if _is_subclass(hint, enum.Enum):
        return {"enum": [one.value for one in hint]}
    if _is_pydantic(hint):
        schema = hint.model_json_schema(ref_template="#/$defs/{model}")
        definitions.update(schema.pop("$defs", {}))
        return dict(schema)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        needed = [one.name for one in dataclasses.fields(hint) if _is_required(one)]
        return _object(hint, needed, definitions)
    if typing.is_typeddict(hint):
        return _object(hint, sorted(hint.__required_keys__), definitions)
    raise TypeError(f"{hint}; use one of JSON, or annotate it with Any and convert it")


def _object(hint: type, required: list[str], definitions: dict[str, Any]) -> dict[str, Any]:
    """Defines an object once, so that it may contain itself."""
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}
        hints = typing.get_type_hints(hint, include_extras=True)
        definitions[hint.__name__] = {
            "type": "object",
            "properties": {name: _schema(one, definitions) for name, one in hints.items()},
            "required": required,
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _arguments(function: Callable[..., Any], args: Mapping[str, Any], call: Call) -> dict[str, Any]:
    hints = typing.get_type_hints(function, include_extras=True)
    arguments: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, Any)
        if hint is Call:
            arguments[name] = call
        elif name in args:
            try:
                arguments[name] = _convert(hint, args[name])
            except (TypeError, ValueError, KeyError) as why:
                raise ToolError(f"the argument `{name}` does not fit: {why}") from why
        elif parameter.default is parameter.empty:
            raise ToolError(f"the argument `{name}` is missing")
    return arguments


def _convert(hint: Any, value: Any) -> Any:
    """Makes of a value in JSON what a parameter takes."""
    hint = _resolved(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is typing.Annotated:
        return _convert(args[0], value)
    if origin in (Union, types.UnionType):
        return _convert_union(args, value)
    if _collection(origin) not in (None, tuple) and args:
        return _collection(origin)(_convert(args[0], one) for one in value)
    if origin is tuple and args:
        kinds = [args[0]] * len(value) if args[-1] is Ellipsis else args
        return tuple(_convert(kind, one) for kind, one in zip(kinds, value))
    if _is_subclass(origin, Mapping) and len(args) == 2:
        return {key: _convert(args[1], one) for key, one in value.items()}
    if hint in (set, frozenset, tuple, float) or hint in _PARSED:
        return _PARSED.get(hint, hint)(value)
    if _is_subclass(hint, enum.Enum):
        return hint(value)
    if _is_pydantic(hint):
        return hint.model_validate(value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint, include_extras=True)
        return hint(**{name: _convert(hints.get(name, Any), one) for name, one in value.items()})
    return value


def _convert_union(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None and _NONE in kinds:
        return None
    failed: Exception | None = None
    for kind in kinds:
        if kind is _NONE:
            continue
        expected = _PLAIN.get(kind)
        if expected is not None and not isinstance(value, expected):
            continue
        try:
            return _convert(kind, value)
        except (TypeError, ValueError, KeyError) as why:
            failed = why
    if failed is not None:
        raise failed
    return value


def output_of(result: Any) -> Output:
    if isinstance(result, Output):
        return result
    if result is None:
        return Output("", "done")
    if isinstance(result, str):
        return Output(result)
    text = write_json(result, default=plain)
    return Output(text, value=json.loads(text))


def _first_part(text: str) -> str:
    """Returns a docstring up to its description of parameters."""
    return re.split(r"\n\s*(?:Args:|Arguments:|Parameters\n|Returns:|Raises:|:param )", text)[0].strip()


def _parameters(text: str) -> dict[str, str]:
    found = dict(re.findall(r":param (?:\w+ )?(\w+): *(.+)", text))
    section = re.search(r"(?:Args|Arguments):\n((?:[ \t]+.+\n?)+)", text)
    if section:
        found.update(re.findall(r"^\s+(\w+)(?: \([^)]*\))?: *(.+)$", section.group(1), re.MULTILINE))
    return found


def _resolved(hint: Any) -> Any:
    """Returns a type without its names: of an alias, a ``NewType``, or a member that may be missing."""
    while True:
        if getattr(get_origin(hint), "_name", None) in ("Required", "NotRequired", "ReadOnly"):
            hint = get_args(hint)[0]
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif type(hint).__name__ == "TypeAliasType":
            hint = hint.__value__
        else:
            return hint


def _collection(hint: Any) -> Any:
    """Returns what a list in JSON becomes for such a type, or ``None``."""
    if hint in (list, set, frozenset, tuple):
        return hint
    if hint in (collections.abc.Set, collections.abc.MutableSet):
        return set
    return list if hint in _SEQUENCES else None


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _is_subclass(hint: Any, of: type) -> bool:
    return isinstance(hint, type) and issubclass(hint, of)


def _is_pydantic(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "model_json_schema") and hasattr(hint, "model_validate")


_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    _NONE: {"type": "null"},
    pathlib.Path: {"type": "string"},
    uuid.UUID: {"type": "string", "format": "uuid"},
    decimal.Decimal: {"type": "number"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.datetime: {"type": "string", "format": "date-time"},
}

_PARSED: dict[Any, Callable[[Any], Any]] = {
    pathlib.Path: pathlib.Path,
    uuid.UUID: uuid.UUID,
    decimal.Decimal: lambda number: decimal.Decimal(str(number)),
    datetime.time: datetime.time.fromisoformat,
    datetime.date: datetime.date.fromisoformat,
    datetime.datetime: datetime.datetime.fromisoformat,
}

_SEQUENCES = (
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Collection,
    collections.abc.Iterable,
)

#: A thread for each call at work of a function that is not asynchronous.
_THREADS = concurrent.futures.ThreadPoolExecutor(max_workers=1024, thread_name_prefix="silcrow-call")

_PLAIN: dict[Any, Any] = {str: str, int: int, float: (int, float), bool: bool, list: list, dict: dict}
