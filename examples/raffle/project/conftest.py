"""Puts the project on the path of its tests."""
