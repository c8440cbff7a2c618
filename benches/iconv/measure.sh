#!/usr/bin/env bash
# Measures short calls of iconv through the shim, beside glibc's: `benches/iconv/measure.sh [instructions]`. Builds the
# released C library into target/iconv-speed. With `instructions`, counts the instructions of a call with valgrind.

set -euo pipefail
cd "$(dirname "$0")/../.."
prefix=$PWD/target/iconv-speed
capi/install "$prefix"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<< "$(pkg-config --cflags --libs charpipe)"
cc -shared -fPIC -O2 capi/iconv/shim.c -o "$prefix/shim.so" "${flags[@]}" -Wl,-rpath,"$prefix/lib"
cc -O2 -rdynamic benches/iconv/short.c -o "$prefix/short" -ldl
if [ "${1:-}" != instructions ]; then exec "$prefix/short" "$prefix/shim.so"; fi

# instructions FROM TO LEN CALLS: those of so many calls, with what comes before them.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$prefix/short" "$prefix/shim.so" "$@" 2>&1 |
        sed -n 's/.*Collected : //p'
}

for pair in 'ISO-8859-1 UTF-8' 'UTF-8 ISO-8859-1' 'IBM1047 UTF-8' 'UTF-8 UTF-16LE' 'SHIFT_JIS UTF-8' 'UTF-8 EUC-JP'; do
    for len in 1 64; do
        read -ra names <<< "$pair"
        few=$(instructions "${names[@]}" $len 1000)
        many=$(instructions "${names[@]}" $len 3000)
        printf '%-12s %-12s %4s %8s instructions\n' "${names[@]}" $len $(((many - few) / 2000))
    done
done
