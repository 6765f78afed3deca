#!/usr/bin/env bash
# Fetches the component from the command (`LRO` names it; without that, cargo builds it), so that
# `python -m build --wheel` packs it, with the schema of its settings.
set -euo pipefail
cd "$(dirname "$0")"
cp ../../wit/settings.schema.json src/lro/settings.schema.json

if [ -n "${LRO:-}" ]; then
  "$LRO" component -o src/lro/lro.wasm
else
  cargo run --quiet --locked --manifest-path ../../Cargo.toml --package lro-cli -- component -o "$PWD/src/lro/lro.wasm"
fi
