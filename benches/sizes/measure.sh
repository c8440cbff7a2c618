#!/bin/sh
# Prints how much the library and each of its features add to a program, in KiB: `cargo build --release`, without
# symbols.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}

size() {
    cargo build --release --quiet --target-dir "$target" --features "$1"
    wc -c < "$target/release/charpipe-sizes"
}

copies=$(size '')
echo "| features | added KiB |"
echo "|---|---|"
for features in '' dos whatwg guess legacy mojibake normalize translit serde tokio files; do
    all=$(size "charpipe,$features")
    echo "| ${features:-none} | $(((all - copies + 512) / 1024)) |"
done
