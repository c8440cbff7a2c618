"""Code charts that show themselves in a notebook."""

from __future__ import annotations

from charpipe import _charpipe


class Chart:
    """The characters of the bytes of an encoding. With a second encoding, `differences` lists the bytes that differ."""

    def __init__(self, name: str, other: str | None = None):
        self._codec = _charpipe.lookup(name)
        self._other = None if other is None else _charpipe.lookup(other)
        self.name = self._codec.name
        self.other = None if self._other is None else self._other.name

    def __getitem__(self, byte: int) -> str | None:
        """Return the character of a byte; None if the byte alone is not a character."""
        return _char(self._codec, byte)

    @property
    def differences(self) -> dict[int, tuple[str | None, str | None]]:
        """The bytes that the two encodings read differently, and both characters."""
        if self._other is None:
            return {}
        both = {byte: (_char(self._codec, byte), _char(self._other, byte)) for byte in range(256)}
        return {byte: chars for byte, chars in both.items() if chars[0] != chars[1]}

    def __str__(self) -> str:
        title = self.name if self.other is None else f"{self.name} and {self.other}"
        rows = ["    " + " ".join(f"-{low:X}" for low in range(16))]
        different = self.differences
        for high in range(0, 256, 16):
            cells = []
            for byte in range(high, high + 16):
                shown = _shown(self[byte])
                cells.append(f"{shown}{'!' if byte in different else ' '}")
            rows.append(f"{high >> 4:X}-  " + " ".join(cells).rstrip())
        return "\n".join([title, *rows])

    def __repr__(self) -> str:
        return f"chart({self.name!r})" if self.other is None else f"chart({self.name!r}, {self.other!r})"

    def _repr_html_(self) -> str:
        from html import escape

        different = self.differences
        title = self.name if self.other is None else f"{self.name} and {self.other}"
        out = [f"<table><caption>{escape(title)}</caption><tr><th></th>"]
        out += [f"<th>-{low:X}</th>" for low in range(16)]
        for high in range(0, 256, 16):
            out.append(f"</tr><tr><th>{high >> 4:X}-</th>")
            for byte in range(high, high + 16):
                char = self[byte]
                code = "no character" if char is None else " ".join(f"U+{ord(one):04X}" for one in char)
                label, style = f"{byte:02X}: {code}", ""
                if byte in different:
                    label += f"; {self.other}: {different[byte][1] or 'no character'}"
                    style = ' style="background:#ffd54f;color:#000"'
                out.append(f'<td title="{escape(label)}"{style}>{escape(_shown(char))}</td>')
        return "".join([*out, "</tr></table>"])


def _char(codec: _charpipe.Codec, byte: int) -> str | None:
    decoder = codec.decoder("ignore")
    text = decoder.decode(bytes([byte]))
    return text if text and not decoder.getstate()[0] else None


def _shown(char: str | None) -> str:
    if char is None:
        return "·"
    return char if char.isprintable() and not char.isspace() else "␣" if char == " " else "□"


def chart(name: str, other: str | None = None) -> Chart:
    """Return the chart of an encoding: the characters of its 256 bytes. With a second encoding, also the differences.

    >>> chart("IBM037")[0xC1]
    'A'
    >>> chart("IBM037", "IBM500").differences[0x4A]
    ('¢', '[')
    """
    return Chart(name, other)
