#!/usr/bin/env bash
# Fetches the component from the command (`LRO` names it; without that, cargo builds it), so that
# `python -m build --wheel` packs it, with the schema of its settings.
set -euo pipefail
cd "$(dirname "$0")"
cmp --silent ../../wit/settings.schema.json src/lro/settings.schema.json ||
  cp ../../wit/settings.schema.json src/lro/settings.schema.json

# Under another name first: suites that run side by side read it.
new="$(mktemp "$PWD/src/lro/.lro.wasm.XXXXXX")"
trap 'rm -f "$new"' EXIT
if [ -n "${LRO:-}" ]; then
  "$LRO" component -o "$new"
else
  cargo run --quiet --locked --manifest-path ../../Cargo.toml --package lro-cli -- component -o "$new"
fi
chmod 644 "$new"
cmp --silent "$new" src/lro/lro.wasm || mv -f "$new" src/lro/lro.wasm
