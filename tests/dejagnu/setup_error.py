# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops a run before it can tell anything about a compiler."""


class SetupError(Exception):
    """Exit code 2: something that the tests need is not as it must be."""


class Skip(Exception):
    """Exit code 77: the machine lacks something."""
