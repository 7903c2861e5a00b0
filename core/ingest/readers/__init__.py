"""One file a format: what a tool wrote to trials; vendors' shared parts lie beside, with an underscore."""
