"""`python -m acp_spy` and the console script `acp-spy`: the same program."""

import sys

from acp_spy.cli.entry import run


def main() -> None:
    """Run the command line that this process was started with, and exit as it says."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
