"""What service managers are told of the engine: systemd units, a launchd agent, a Windows task.

Sources: systemd.service(5), systemd.socket(5), systemd.syntax(7); launchd.plist(5); Microsoft's
Task Scheduler schema, version 1.2.
"""

from __future__ import annotations

import plistlib
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

NAME = "surveyor-engine"
LABEL = "org.surveyor.engine"
"""launchd's name of the agent: reversed domain style, as it asks for."""
TASK = "Surveyor engine"
"""Task Scheduler's name of the task."""
MARK = "Written by `surveyor engine service install`; `surveyor engine service remove` undoes it."
"""In every file, so that none that somebody else wrote is replaced or removed."""

FOLDER_GONE = 5
"""Exit code of an engine whose data folder was deleted or moved: it is not to be started again."""


@dataclass(frozen=True)
class EngineProgram:
    """The engine as a service manager has to start it."""

    python: Path
    data: Path
    config: Path
    sockets: tuple[Path, ...]
    """Where it listens, for managers that listen in its place."""
    log: Path

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return [str(self.python), "-m", "surveyor", "engine", "run", "--detached"]

    @property
    def environment(self) -> dict[str, str]:
        """Variables that it has to be given."""
        return {"SURVEYOR_DATA_DIR": str(self.data), "SURVEYOR_CONFIG": str(self.config)}


def systemd_service(program: EngineProgram) -> str:
    """The unit that runs the engine.

    It ends by itself when nobody needs it; the socket unit starts it again. `KillMode=process`: the
    host of language servers, which an engine may have started, serves editors too and stays. `env`
    starts the interpreter because the first word of a command may not hold quotes or dollars.
    """
    variables = "".join(
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in program.environment.items()
    )
    command = " ".join(_quoted(part).replace("$", "$$") for part in program.command)
    return f"""# {MARK}
[Unit]
Description=Surveyor's engine: one map of the code for editors and agents
Requires={NAME}.socket
After={NAME}.socket

[Service]
Type=exec
ExecStart=/usr/bin/env {command}
WorkingDirectory={_unquoted(program.data)}
{variables}UMask=0077
Restart=on-failure
RestartSec=1
RestartPreventExitStatus={FOLDER_GONE}
KillMode=process
TimeoutStopSec=10
StandardOutput=append:{_unquoted(program.log)}
StandardError=append:{_unquoted(program.log)}
"""


def systemd_socket(program: EngineProgram) -> str:
    """The unit that listens in the engine's place until somebody comes."""
    listening = "".join(f"ListenStream={_unquoted(path)}\n" for path in program.sockets)
    return f"""# {MARK}
[Unit]
Description=Sockets of Surveyor's engine

[Socket]
{listening}SocketMode=0600
DirectoryMode=0700
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
"""


def _quoted(text: str) -> str:
    """One word of a line of a unit: `%` begins a specifier, `\\` an escape."""
    return '"' + _unquoted(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str | Path) -> str:
    """The whole rest of a line of a unit."""
    return str(text).replace("%", "%%")


def launchd_agent(program: EngineProgram) -> bytes:
    """The property list of an agent that starts the engine at login, and again when it crashed."""
    listed = plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": program.command,
            "EnvironmentVariables": program.environment,
            "WorkingDirectory": str(program.data),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 10,
            "Umask": 0o077,
            "StandardOutPath": str(program.log),
            "StandardErrorPath": str(program.log),
        },
        sort_keys=False,
    )
    head, doctype, rest = listed.partition(b"<plist ")
    return head + f"<!-- {MARK} -->\n".encode() + doctype + rest


def windows_task(program: EngineProgram) -> bytes:
    """A task that starts the engine when the user logs on, and again when it failed; UTF-16, as
    `schtasks /XML` reads it.

    A task has no environment of its own: the program gets the user's.
    """
    arguments = " ".join(program.command[1:])
    text = f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>{escape(MARK)}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>3</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{escape(str(program.python))}</Command>
      <Arguments>{escape(arguments)}</Arguments>
      <WorkingDirectory>{escape(str(program.data))}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
"""
    return text.replace("\n", "\r\n").encode("utf-16")
