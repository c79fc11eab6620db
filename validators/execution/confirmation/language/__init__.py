"""What a reply says, in the words of its language."""
