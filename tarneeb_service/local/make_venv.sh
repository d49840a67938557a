#!/bin/sh
# make_venv.sh DIRECTORY REQUIREMENTS: a virtual environment with these packages, and no others asked for.
# PYTHON in the environment names the interpreter; else the first one found that is recent enough.
set -eu

directory=$1
requirements=$2

is_recent() {
    command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_recent "$PYTHON" && echo "$PYTHON" && return
        echo "PYTHON=$PYTHON cannot be run, or is older than Python 3.11." >&2
        return 1
    fi
    # 3.14 comes last: there is no embedded Valkey for it yet.
    for candidate in python3 python python3.13 python3.12 python3.11 python3.14; do
        if is_recent "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "Python 3.11 or later is needed and was not found. Install it (Debian, Ubuntu: apt install python3 python3-venv;" >&2
    echo "macOS: brew install python@3.13), or name one: make PYTHON=/path/to/python3.12 ..." >&2
    return 1
}

# One that was interrupted while it was made has a Python and no pip.
if ! is_recent "$directory/bin/python" || ! "$directory/bin/python" -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    echo "Making $directory with $($python --version) ..."
    if ! "$python" -m venv --clear "$directory"; then
        rm -rf "$directory"
        echo "The virtual environment could not be made. On Debian and Ubuntu: apt install python3-venv" >&2
        exit 1
    fi
fi
echo "Installing $(grep -c '^[a-zA-Z]' "$requirements") packages from $requirements, once; this takes a minute or two ..."
"$directory/bin/python" -m pip install --disable-pip-version-check --require-hashes -r "$requirements"
