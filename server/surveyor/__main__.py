"""`python -m surveyor` and the `surveyor` console script."""


def main() -> None:
    """Run the command line, and end as shells expect of who was interrupted."""
    try:
        _run_face()
    except KeyboardInterrupt:  # also while modules are still read
        raise SystemExit(130) from None


def _run_face() -> None:
    """Run a command; what is started beside a face goes without its framework."""
    import sys

    _open_closed_streams()
    if sys.argv[1:] == ["engine", "run", "--detached"]:
        import os

        _compile_less()
        from surveyor.engine.process.main import run

        # The interpreter's own clean-up of large libraries is not worth waiting for.
        os._exit(run())
    if sys.argv[1:2] == ["mcp"] and "--help" not in sys.argv:
        _say_who_starts_it("an agent", "surveyor setup --help")
        from surveyor.mcp.relay import main as relay

        raise SystemExit(relay(sys.argv[2:]))
    if sys.argv[1:] in (["servers", "run", "--detached"], ["lsp"], ["lsp", "--stdio"]):
        from surveyor.process_memory import import_asyncio_without_tls

        _compile_less()
        import_asyncio_without_tls()
    if sys.argv[1:] == ["servers", "run", "--detached"]:
        from surveyor.servers.host.main import run as serve_servers

        raise SystemExit(serve_servers())
    if sys.argv[1:2] == ["lsp"] and not {"--help", "--tcp"} & set(sys.argv):
        _say_who_starts_it("an editor", "surveyor lsp --help")
    if sys.argv[1:] in (["lsp"], ["lsp", "--stdio"]):
        from surveyor.lsp.main import serve as serve_editor

        raise SystemExit(serve_editor())
    _run_command(sys.argv[1:])


def _say_who_starts_it(who: str, hint: str) -> None:
    """Tell somebody who types the command in a terminal why nothing happens."""
    import sys

    if sys.stdin.isatty():
        sys.stderr.write(
            f"surveyor: waiting for {who} on stdin; `{hint}` says more, Ctrl-C ends this\n"
        )


def _compile_less() -> None:
    """Have what is imported from now on compile its dataclasses' methods when they are called."""
    from surveyor.dataclass_methods import compile_when_called

    compile_when_called()


def _run_command(typed: list[str]) -> None:
    """Run a command; what an agent waits for goes without the framework, too."""
    from surveyor.cli.hook_deadline import HookDeadline, is_hook

    if is_hook(typed):
        HookDeadline().start()
    if typed == ["check", "--hook"]:
        from surveyor.cli.check_hook import run as check_for_hook

        raise SystemExit(check_for_hook())
    if typed == ["hint"]:
        from surveyor.cli.agent_hooks import hint

        hint()
        return
    from surveyor.cli.main import run

    run()


def _open_closed_streams() -> None:
    """Put nothing in the place of a standard stream that is closed.

    Without, the interpreter has no object for it, and the next file or socket takes its number.
    """
    import os
    import sys

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


if __name__ == "__main__":
    main()
