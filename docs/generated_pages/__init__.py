"""Reference pages that are made from code when the site is built: `python docs/generate.py --site`."""
