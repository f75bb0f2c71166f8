# SPDX-License-Identifier: MIT
"""The built-in CcInfo under another name: a file cannot define the name it reads."""

# buildifier: disable=native-cc-info
native_cc_info = CcInfo
