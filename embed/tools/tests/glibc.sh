#!/usr/bin/env bash
# Puts the C library of Debian 13 into a folder, for wassette alone: its wheel is built for glibc 2.39, and Debian 12 has
# 2.36. Nothing of the system is changed.
set -euo pipefail
folder="$1"
bash "$(dirname "$0")/../../../tests/debian.sh" "$folder.debian" trixie libc6
rm -rf "$folder"
# Renamed when it is whole.
mv "$(dirname "$folder".debian/usr/lib/*/libc.so.6)" "$folder"
rm -rf "$folder.debian"
