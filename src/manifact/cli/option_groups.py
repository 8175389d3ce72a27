"""Options that belong together as the fields of a dataclass: declared once, used by every command that has them.

A field is annotated as Typer wants it, ``Annotated[type, typer.Option(...)]``, and may add a function
``(parameter, text) -> value`` that reads what was typed. It has the name of the parameter that it sets, so that an
error about the parameter can be told in the words of the command line (`manifact.cli.exit_codes`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Any, get_args, get_type_hints


def with_option_groups(function: Callable[..., None]) -> Callable[..., None]:
    """``function`` as Typer takes it: where it has a group, the command has the options of the group."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, type[Any]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _options(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(function)
    def command(**typed: Any) -> None:
        found = {
            name: group(**{field.name: typed.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        function(**typed, **found)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def given(group: Any) -> dict[str, Any]:
    """The options of a group that were used, by the parameters that they set and as these take them."""
    hints = get_type_hints(type(group), include_extras=True)
    found = {field.name: getattr(group, field.name) for field in fields(group)}
    return {
        name: _reader(hints[name])(name, value)
        for name, value in found.items()
        if value is not None and value is not False and value != []
    }


def _options(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=_default(field), annotation=hints[field.name]
        )
        for field in fields(group)
    ]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _reader(annotation: Any) -> Callable[[str, Any], Any]:
    """The function that an annotation carries beside Typer's, or none."""
    functions = (part for part in get_args(annotation)[1:] if inspect.isfunction(part))
    return next(functions, lambda parameter, value: value)
