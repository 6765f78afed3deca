#!/usr/bin/env bash
# Fetches the component from the command (`LRO` names it; without that, cargo builds it), so that
# `python -m build --wheel` packs it, with the schema of its settings.
set -euo pipefail
cd "$(dirname "$0")"

# Under other names first: suites that run side by side read them.
new="$(mktemp "$PWD/.component.XXXXXX")" schema="$(mktemp "$PWD/.schema.XXXXXX")"
trap 'rm -f "$new" "$schema"' EXIT
if [ -n "${LRO:-}" ]; then
  "$LRO" component -o "$new"
else
  cargo run --quiet --locked --manifest-path ../../Cargo.toml --package lro-cli -- component -o "$new"
fi
cat ../../wit/settings.schema.json > "$schema"
chmod 644 "$new" "$schema"
mv -f "$new" src/lro/lro.wasm
mv -f "$schema" src/lro/settings.schema.json
