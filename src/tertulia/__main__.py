"""`python -m tertulia` is the same as `tertulia`."""

from tertulia.cli import main

if __name__ == "__main__":
    main()
