"""`python -m surveyor` and the `surveyor` console script."""


def main() -> None:
    """Run the command line."""
    from surveyor.cli.main import app

    app()


if __name__ == "__main__":
    main()
