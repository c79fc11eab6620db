"""How files are opened and read: regular files only, in bounded memory, whole or not at all.

`limits` is the table of what each kind of file may hold, `opening` opens a file that the user or a result names,
`reading` reads it, `unpacking` unpacks gzip and zip. A test refuses every other way to open a file.
"""
