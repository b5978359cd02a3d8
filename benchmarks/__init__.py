"""
What acp-spy costs, each figure against a baseline of the same run.

`python -m benchmarks` runs them all, prints one table, keeps the figures in `results.json`, and
puts the tables of docs/performance.md in order. A benchmark is a module with `measure(effort)`.
"""
