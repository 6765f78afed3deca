#!/usr/bin/env bash
# Puts the C library of Debian 13 into a folder, for wassette alone: its wheel is built for glibc 2.39, and Debian 12 has
# 2.36. Nothing of the system is changed.
set -euo pipefail
folder="$1"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep --max-count=1 '/debian/$')" ||
  { echo "wassette needs glibc 2.39, and apt knows no mirror of Debian to get it from" >&2; exit 1; }
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > "$work/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o Dir::State::status=/dev/null \
    -o APT::Sandbox::User=root "$@"
}
cd "$work"
apt update
apt download libc6
dpkg-deb --extract libc6_*.deb "$work/files"
# Renamed when it is whole.
mv "$(dirname "$work"/files/usr/lib/*/libc.so.6)" "$folder"
