# SPDX-License-Identifier: Apache-2.0
"""`python -m porter`."""

from porter.cli import main

if __name__ == "__main__":
    main()
