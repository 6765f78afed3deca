#!/usr/bin/env bash
# Lints what people run for systems that no machine of ours has: `bash tests/platforms.sh TOOLS [TARGET…]`. Nothing is linked or
# run. One dependency (ring) has C and assembly, which zig compiles: need_platforms of tests/needs.sh puts it into TOOLS.
set -euo pipefail
cd "$(dirname "$0")/.."
folder="$1/platforms" zig="$1/zig/bin/python"
shift
mkdir -p "$folder"
[ $# -ne 0 ] || set -- x86_64-pc-windows-gnu aarch64-apple-darwin

failed=0
for target in "$@"; do
  name="${target//-/_}"
  # cc-rs asks Xcode for a folder of headers otherwise; zig has its own.
  declare -x "CC_$name=$folder/cc-$target" "AR_$name=$folder/ar" SDKROOT="$folder"
  printf '#!/bin/sh\nexec bash "%s" "%s" %s "$@"\n' "$PWD/tests/zig-cc" "$zig" "$target" > "$folder/cc-$target"
  printf '#!/bin/sh\nexec "%s" -m ziglang ar "$@"\n' "$zig" > "$folder/ar"
  chmod +x "$folder/cc-$target" "$folder/ar"
  began=$SECONDS
  if cargo clippy --quiet --locked --package lro --package lro-conformance --package lro-cli --target "$target" -- -D warnings; then
    echo "$target: no warning, $((SECONDS - began)) s"
  else
    echo "$target: FAILED"
    failed=$((failed + 1))
  fi
done
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" = 0 ]
