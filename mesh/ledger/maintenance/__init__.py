"""Work on whole ledgers: removing texts, copies, two ledgers made one. Functions of open connections; they block."""
