"""
GitHub, through PyGithub. ``gateway`` alone imports it; the rest speaks in jam's words.
"""
