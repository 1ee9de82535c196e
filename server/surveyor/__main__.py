"""`python -m surveyor` and the `surveyor` console script."""


def main() -> None:
    """Run the command line."""
    import sys

    if sys.argv[1:2] == ["mcp"] and "--help" not in sys.argv:
        from surveyor.mcp.relay import main as relay  # started for every agent: no framework

        raise SystemExit(relay(sys.argv[2:]))
    from surveyor.cli.main import app

    app()


if __name__ == "__main__":
    main()
