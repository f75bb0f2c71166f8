#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs trouble.py beside it.
exec /usr/bin/python3 -B tests/trouble/trouble.py
