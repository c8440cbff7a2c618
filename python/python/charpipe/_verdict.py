"""Results: verdicts and reports, with the keys of the command's JSON as attributes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Result:
    """A result with the keys of the command's JSON, as attributes and as items."""

    __slots__ = ("_keys",)

    def __init__(self, keys: dict[str, Any]):
        self._keys = keys

    @classmethod
    def _of_json(cls, text: str):
        import json  # Not needed to import charpipe.

        return cls(json.loads(text))

    def __getattr__(self, key: str) -> Any:
        try:
            return object.__getattribute__(self, "_keys")[key]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no key {key!r}") from None

    def __getitem__(self, key: str) -> Any:
        return self._keys[key]

    def __dir__(self):
        return [*super().__dir__(), *self._keys]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._keys == other._keys

    __hash__ = None

    def __reduce__(self):
        return type(self), (self._keys,)

    def to_dict(self) -> dict[str, Any]:
        """Return all keys and their values."""
        return dict(self._keys)

    def _known(self) -> str:
        return ", ".join(f"{key}={value!r}" for key, value in self._keys.items() if value not in (None, [], False))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._known()})"


class Verdict(Result):
    """The result of detection: the encoding, the rule that decided, and the evidence.

    `encoding` is None if nothing identifies the encoding; then `error` gives the reason. `diagnostics` has warnings and hints.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return str(self.encoding or "unknown")

    def explain(self) -> str:
        """Return a short description of the evidence."""
        lines = [f"{self.encoding or 'unknown'}: rule {self.rule}, from {self.source or 'nothing'}; {self.kind}"]
        if self.signature:
            lines.append(f"begins with {self.signature}")
        if self.declared:
            lines.append(f"declares {self.declared}")
        lines += [f"candidate {found['codec']}: {found['score']}" for found in self.candidates]
        lines += [f"{found['severity']}: {found['message']}" for found in self.diagnostics]
        if self.error:
            lines.append(f"error: {self.error['message']}")
        return "\n".join(lines)


class Report(Result):
    """The report of a conversion: `from`, `to`, `bytes_in`, `bytes_out`, and the replacements.

    `from` is a Python keyword, so use `report["from"]` or `report.source`.
    """

    __slots__ = ()

    @property
    def source(self) -> str | None:
        """The encoding of the input."""
        return self._keys["from"]

    @property
    def verdict(self) -> Verdict | None:
        """The result of detection."""
        keys = self._keys["verdict"]
        return None if keys is None else Verdict(keys)
