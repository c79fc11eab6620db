"""The commands, one module each; `judgemesh.mesh.cli.app` imports the one that is called."""
