#!/usr/bin/env bash
# Judges the dependencies of each workspace by deny.toml: `bash tests/supply.sh CARGO-DENY`. It asks nobody: what cargo has
# fetched is enough. Lock files of npm and Python are judged by tests/tests/tidy/locks.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
deny="$1" passed=0 failed=0 workspaces=0
said="$(mktemp -d)"
trap 'rm -rf "$said"' EXIT

# What cargo-deny says about a workspace, one line of JSON each.
judge() {
  "$deny" --format json --log-level warn --manifest-path "$1" --locked --offline --config "$2" check bans licenses sources
}

# A verdict on a workspace or on the list.
verdict() {
  if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  echo "$2: $([ "$1" = 0 ] && echo passed || echo FAILED)"
}

# Every lock file is a workspace's.
for lock in $(git ls-files Cargo.lock '*/Cargo.lock'); do
  manifest="$(dirname "$lock")/Cargo.toml" status=0
  # Packages that cargo has not fetched yet, such as those of other systems.
  cargo fetch --quiet --locked --manifest-path "$manifest"
  judge "$manifest" "$PWD/deny.toml" 2> "$said/$workspaces" || status=$?
  jq --raw-output 'select(.fields.severity == "error").fields
    | .message, (.labels[]? | "  " + .span), (.graphs[]?.Krate | "  \(.name) \(.version)")' "$said/$workspaces" || cat "$said/$workspaces"
  verdict "$status" "$manifest"
  workspaces=$((workspaces + 1))
done

# An exception that no workspace needs would let something in one day that nobody has looked at.
unused="$(jq --raw-output 'select(.fields.code | IN("unmatched-skip", "unnecessary-skip", "license-exception-not-encountered"))
  .fields.labels[0].span' "$said"/* | sort | uniq --count | awk -v all="$workspaces" '$1 == all { print "  " $2 }')"
status=0
[ -z "$unused" ] || { printf 'deny.toml has exceptions that no workspace needs:\n%s\n' "$unused"; status=1; }
verdict "$status" "exceptions"

# The tool fails where it should: nobody allows the licence of our own dependencies, or our registry.
sed -e '/^  "MIT",$/d' -e 's|^allow-registry = .*|allow-registry = []|' deny.toml > "$said/strict.toml"
status=1
judge Cargo.toml "$said/strict.toml" > "$said/strict" 2>&1 ||
  { grep --quiet '"code":"rejected"' "$said/strict" && grep --quiet '"code":"source-not-allowed"' "$said/strict" && status=0; }
verdict "$status" "a configuration that refuses what we have"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$workspaces" -gt 2 ]
