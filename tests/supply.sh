#!/usr/bin/env bash
# Judges the dependencies of each workspace by deny.toml: `bash tests/supply.sh CARGO-DENY`. It asks nobody: what cargo has
# fetched is enough. Lock files of npm and Python are judged by tests/tests/tidy/locks.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
deny="$1" passed=0 failed=0

# Every lock file is a workspace's.
for lock in $(git ls-files Cargo.lock '*/Cargo.lock'); do
  manifest="$(dirname "$lock")/Cargo.toml"
  # Packages that cargo has not fetched yet, such as those of other systems.
  cargo fetch --quiet --locked --manifest-path "$manifest"
  if "$deny" --manifest-path "$manifest" --locked --offline --log-level warn check --config deny.toml bans licenses sources; then
    passed=$((passed + 1))
  else
    echo "$manifest: FAILED" >&2
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 2 ]
