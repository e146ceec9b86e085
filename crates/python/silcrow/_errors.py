"""What can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._agent import Question


class Error(Exception):
    """A run that reached no answer, or an agent that cannot be used.

    ``code`` is the kind, which programs compare; ``retry`` says whether another attempt may help. What the
    run has stored stays in its conversation.
    """

    def __init__(self, message: str, *, code: str = "failed", retry: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retry = retry

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets it whole: the arguments of the exception are its message alone.
        return _again, (type(self), self.args, self.__dict__)


class ProviderError(Error):
    """The model, or the connection to it, has failed: ``auth``, ``rate``, ``overload``, ``network`` …"""


class LimitError(Error):
    """The run has reached a limit: ``step_limit``, ``token_limit``, ``cost_limit`` …"""


class ActiveError(Error):
    """Another process runs the conversation."""


class Waiting(Error):
    """The run waits for answers about calls, which :meth:`Agent.resume` takes."""

    def __init__(self, message: str, questions: list[Question]) -> None:
        super().__init__(message, code="waiting")
        self.questions = questions


def _again(kind: type[Error], args: tuple[Any, ...], members: dict[str, Any]) -> Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(members)
    return error


def error_of(code: str, message: str, retry: bool, provider: bool) -> Error:
    """Returns the exception of a code."""
    if code.endswith("_limit"):
        return LimitError(message, code=code, retry=retry)
    if code == "session_active":
        return ActiveError(message, code=code, retry=retry)
    if provider or code in ("length", "filter"):
        return ProviderError(message, code=code, retry=retry)
    return Error(message, code=code, retry=retry)
