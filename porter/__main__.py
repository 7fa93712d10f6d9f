# SPDX-License-Identifier: Apache-2.0
"""`python -m porter`."""

from porter.commands.main import main

if __name__ == "__main__":
    main()
