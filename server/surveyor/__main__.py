"""`python -m surveyor` and the `surveyor` console script."""


def main() -> None:
    """Run the command line; what is started beside a face goes without its framework."""
    import sys

    if sys.argv[1:] == ["engine", "run", "--detached"]:
        import os

        from surveyor.engine.process.main import run

        # The interpreter's own clean-up of large libraries is not worth waiting for.
        os._exit(run())
    if sys.argv[1:2] == ["mcp"] and "--help" not in sys.argv:
        from surveyor.mcp.relay import main as relay

        raise SystemExit(relay(sys.argv[2:]))
    if sys.argv[1:] == ["servers", "run", "--detached"]:
        from surveyor.servers.host.main import run as serve_servers

        raise SystemExit(serve_servers())
    if sys.argv[1:] in (["lsp"], ["lsp", "--stdio"]):
        from surveyor.lsp.main import serve as serve_editor

        raise SystemExit(serve_editor())
    from surveyor.cli.hook_deadline import HookDeadline, is_hook

    if is_hook(sys.argv[1:]):
        HookDeadline().start()
    if sys.argv[1:] == ["check", "--hook"]:
        from surveyor.cli.check_hook import run as check_for_hook

        raise SystemExit(check_for_hook())
    if sys.argv[1:] == ["hint"]:
        from surveyor.cli.agent_hooks import hint

        hint()
        return
    from surveyor.cli.main import app

    app()


if __name__ == "__main__":
    main()
