#!/bin/sh
# What the library and its features add to a program, in KiB: `cargo build --release`, symbols stripped.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}

size() {
    cargo build --release --quiet --target-dir "$target" --features "$1"
    wc -c < "$target/release/charpipe-sizes"
}

copies=$(size '')
echo "| features | KiB that they add |"
echo "|---|---|"
for features in '' dos whatwg guess serde tokio; do
    all=$(size "charpipe,$features")
    echo "| ${features:-none} | $(((all - copies + 512) / 1024)) |"
done
