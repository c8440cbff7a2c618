"""The part of the package that is written in Rust."""

__VERSION__: str
