#!/usr/bin/env bash
# Makes lro-tools.wasm beside this script, or as the file that is named: `bash embed/tools/build.sh [FILE]`.
# LRO names the command `lro`, whose component goes into it.
set -euo pipefail
output="$(realpath "${1:-$(dirname "$0")/lro-tools.wasm}")"
cd "$(dirname "$0")"
# The target folder of the project is locked while its tests are built.
target="${TOOLS_TARGET_DIR:-target}"
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR

mkdir -p "$target"
"${LRO:-lro}" component --output "$target/lro.wasm"
cargo build --quiet --locked --release --package lro-tools --target wasm32-unknown-unknown --target-dir "$target"
cargo run --quiet --locked --package pack --target-dir "$target" -- \
  "$target/wasm32-unknown-unknown/release/lro_tools.wasm" "$target/lro.wasm" "$output"
