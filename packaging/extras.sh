#!/usr/bin/env bash
# Writes the man page and the completions of the shells, as the program PROGRAM prints them, into
# FOLDER: extras.sh PROGRAM FOLDER.
set -euo pipefail
mkdir -p "$2/completions"
"$1" man >"$2/ehgnn.1"
"$1" completion bash >"$2/completions/ehgnn.bash"
"$1" completion zsh >"$2/completions/_ehgnn"
"$1" completion fish >"$2/completions/ehgnn.fish"
"$1" completion powershell >"$2/completions/ehgnn.ps1"
