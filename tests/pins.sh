#!/usr/bin/env bash
# Writes the hashes of all files that the index has for the versions in each requirements.txt: `bash tests/pins.sh`, after a
# version was changed by hand. It asks the index through uv, which it installs below the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="${CARGO_TARGET_DIR:-target}/tests/uv"
mkdir -p "$tools"
tools="$(cd "$tools" && pwd)"
[ -x "$tools/bin/uv" ] || { python3 -m venv "$tools" && "$tools/bin/python" -m pip install --quiet --disable-pip-version-check uv; }
git ls-files '*requirements.txt' | while read -r file; do
  "$tools/bin/uv" pip compile --quiet --no-deps --generate-hashes --no-header --no-annotate --universal \
    --python-version 3.11.5 "$file" --output-file "$tools/pinned.txt" > "$tools/log" 2>&1 || { cat "$tools/log" >&2; exit 1; }
  mv "$tools/pinned.txt" "$file"
  echo "$file: $(grep -c '==' "$file") packages, $(grep -c -- '--hash' "$file") files"
done
