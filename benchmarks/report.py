"""Results as Markdown, and docs/performance.md with the tables put in between its markers."""

import re

from benchmarks.outcome import Table

ALL = "all"  # the place of the table that has every limit
_PLACE = re.compile(r"(<!-- benchmark: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def markdown(table):
    lines = [f"| {' | '.join(table.columns)} |", "| --- |" + " ---: |" * (len(table.columns) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in table.rows)])


def limits(results):
    """Return the one table: every limit of every benchmark."""
    rows = [
        [
            f"{limit.what} (aim)" if limit.aim else limit.what,
            f"{limit.measured:.2f}",
            f"{limit.at_most:g}",
            "met" if limit.is_met else "**not met**",
            name,
        ]
        for name, result in results.items()
        for limit in result.outcome.limits
    ]
    return markdown(Table(["limit", "measured", "at most", "", "benchmark"], rows))


def section(result):
    """Return what one benchmark has to tell besides its limits, and where it comes from."""
    told = (
        f"Measured on {result.date} at commit `{result.commit}`, {_count(result.rounds, 'round')}"
        f" in {_duration(result.seconds)}: {result.machine}."
    )
    parts = [told, *map(markdown, result.outcome.tables), result.outcome.note]
    return "\n\n".join(part for part in parts if part)


def fill(page, results):
    """Return `page` with what stands between each pair of markers made anew from `results`."""

    def replace(match):
        start, name, end = match.groups()
        if name == ALL:
            return f"{start}\n{limits(results)}\n\n{end}"
        if name not in results:
            return f"{start}\nNot measured yet.\n\n{end}"
        return f"{start}\n{section(results[name])}\n\n{end}"

    return _PLACE.sub(replace, page)


def _count(number, what):
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
