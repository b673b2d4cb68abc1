"""
Code that runs inside the repository's own interpreter, never in jam's.

Everything below this folder needs Python 3.8 and the standard library (and pytest, where pytest
loads it) and may import nothing of jam: the folder itself is put on ``sys.path`` in there.
"""
