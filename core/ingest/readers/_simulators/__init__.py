"""What simulators and static analysers print."""
