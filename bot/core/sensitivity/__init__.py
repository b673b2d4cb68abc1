"""
Sensitivity checks: would the tests have noticed, had the change been wrong?

From the bytes of a change and of its target tests to the bytes of a broken change and of disturbed
or renamed tests, and from what those gave to a word. Runs nothing, and refuses to know git.
"""
