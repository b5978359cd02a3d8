"""`python -m acp_spy` and the console script `acp-spy`: the same program."""

import sys


def main() -> None:
    """Run the command line that this process was started with, and exit as it says."""
    try:
        from acp_spy.cli.interrupts import end_at_once

        end_at_once()
        from acp_spy.cli.entry import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # die of it, as others do, with no traceback
        signal.raise_signal(signal.SIGINT)
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
