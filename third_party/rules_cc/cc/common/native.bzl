# SPDX-License-Identifier: MIT
"""Built-in names under others: a file cannot define the name it reads."""

# buildifier: disable=native-cc-common
native_cc_common = cc_common

# buildifier: disable=native-cc-info
native_cc_info = CcInfo
