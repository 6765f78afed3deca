#!/usr/bin/env bash
# Installs packages for tests once: `bash tests/packages.sh npm|python SOURCES TARGET` prints the folder below TARGET with what
# the lock file in SOURCES names, package-lock.json or requirements.txt. A lock file that changes gets a folder of its own.
set -euo pipefail
kind="$1" sources="$(cd "$2" && pwd)"
mkdir -p "$3"
target="$(cd "$3" && pwd)"

case "$kind" in
  npm) lock=package-lock.json ;;
  python) lock=requirements.txt ;;
  *) echo "unknown kind of packages: $kind" >&2; exit 2 ;;
esac
# The path is part of it: two lock files may be equal and the files beside them differ. It is that in the repository, so that
# all clones that share a target folder share what is installed.
root="$(cd "$(dirname "$0")/.." && pwd)"
digest="$({ echo "${sources#"$root"/}"; cat "$sources/$lock"; } | cksum | tr ' ' -)"
folder="$target/$kind-$digest"

install_npm() { npm ci --ignore-scripts --no-audit --no-fund; }
install_python() {
  python3 -m venv .
  # Windows has another name for the folder.
  "$([ -d Scripts ] && echo Scripts || echo bin)/python" -m pip install --quiet --no-deps --require-hashes --only-binary :all: --disable-pip-version-check --requirement requirements.txt
}

if [ ! -e "$folder/ready" ]; then
  # What an interrupted installation left is of no use.
  rm -rf "$folder"
  mkdir -p "$folder"
  find "$sources" -maxdepth 1 -type f -exec cp {} "$folder" \;
  (cd "$folder" && "install_$kind") >&2
  touch "$folder/ready"
fi
echo "$folder"
