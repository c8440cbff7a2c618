"""Turns keyword arguments into options with the names and values of the command line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The standard error handlers, as policies for malformed input.
MALFORMED = {"strict": "fail", "replace": "replace", "ignore": "drop", "backslashreplace": "escape"}
UNMAPPABLE = {
    "strict": "fail",
    "replace": "replace",
    "ignore": "drop",
    "backslashreplace": "escape",
    "xmlcharrefreplace": "xml",
}


def pairs(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the options as pairs of text. None leaves an option out; `from_` and `as_` are `from` and `as`."""
    return [(name.rstrip("_"), text(value)) for name, value in options.items() if value is not None]


def text(value: Any) -> str:
    """Return the value of an option, as on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)


def policy(errors: str, writes: bool) -> str:
    """Return the policy for an error handler."""
    policies = UNMAPPABLE if writes else MALFORMED
    try:
        return policies[errors]
    except KeyError:
        known = ", ".join(policies)
        raise ValueError(
            f"errors={errors!r} does not go with detection, records and options; use one of {known}, "
            "or name only the encoding"
        ) from None
