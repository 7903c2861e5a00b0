"""Shared parts of the collectors that make the sample data sets."""
