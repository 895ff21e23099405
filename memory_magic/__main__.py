"""Make ``python -m memory_magic`` the command line."""

from memory_magic.cli import main

raise SystemExit(main())
