"""Several files as one import: parts of one run, facts of machines and inputs."""
