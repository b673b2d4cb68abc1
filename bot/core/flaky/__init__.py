"""
Flaky tests: under what they were run, what the runs showed, and what can be said of it.

Pure, like all of the core. Who runs tests under a condition is an adapter's; which run comes next
is decided here.
"""
