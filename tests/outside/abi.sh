#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The binary interface is the one that is written down; $1 is packaging/abi.sh.
exec "$1" --check
