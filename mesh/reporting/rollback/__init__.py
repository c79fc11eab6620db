"""What killed agents leave: on a terminal and as files."""
