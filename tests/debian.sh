#!/usr/bin/env bash
# Unpacks packages of Debian, or of Ubuntu, into a folder: `bash tests/debian.sh FOLDER RELEASE PACKAGE…`.
# Needs no root and no lists of packages, and changes nothing of the system. `own` is the release of this system.
set -euo pipefail
folder="$1" release="$2"
shift 2
say() { echo "cannot unpack $packages: $*" >&2; exit 1; }
packages="$*"

for program in apt-get dpkg-deb; do command -v "$program" >/dev/null || say "there is no $program"; done
. /etc/os-release
case "$ID" in
  debian) components="main" ;;
  ubuntu) components="main universe" ;;
  *) say "this system is $ID, which has other packages" ;;
esac
keyring="/usr/share/keyrings/$ID-archive-keyring.gpg"
[ "$release" != own ] || release="${VERSION_CODENAME:?}"
mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep --max-count=1 "/$ID/\$")" || say "apt knows no mirror of $ID"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/files"
echo "deb [signed-by=$keyring] $mirror $release $components" > "$work/sources.list"
# Other sources of the system are not asked. Root is to read what only root can reach.
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State="$work/state" -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "$@"
}
cd "$work"
{ apt update && apt download "$@"; } >"$work/log" 2>&1 || { cat "$work/log" >&2; say "apt failed: the reason stands above"; }
for package in ./*.deb; do dpkg-deb --extract "$package" files; done
# Renamed when it is whole, in the folder where it stays.
mkdir -p "$(dirname "$folder")"
rm -rf "$folder" "$folder.part"
cp -a files "$folder.part"
mv "$folder.part" "$folder"
