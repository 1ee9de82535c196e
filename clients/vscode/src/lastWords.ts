/** Owns the last words of a server that ended: what it wrote to its log, and the line that says why. */

import type { OutputChannel } from "vscode";

const MOST_CHARS = 4000;
const SAID_CHARS = 200;

/** The last line of what a program wrote, which is where most say what is wrong. */
export function lastLine(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const said = lines.filter((line) => line !== "").at(-1) ?? "";
  return said.length <= SAID_CHARS ? said : `${said.slice(0, SAID_CHARS - 1)}…`;
}

/** Remembers the end of what is written to a channel. */
export class LastWords {
  private text = "";
  /** Passes on all that is written; what a program writes to its standard error comes by `append`. */
  readonly channel: OutputChannel;

  constructor(channel: OutputChannel) {
    this.channel = {
      name: channel.name,
      append: (words) => {
        this.text = (this.text + words).slice(-MOST_CHARS);
        channel.append(words);
      },
      appendLine: (line) => channel.appendLine(line),
      replace: (text) => channel.replace(text),
      clear: () => channel.clear(),
      show: () => channel.show(true),
      hide: () => channel.hide(),
      dispose: () => channel.dispose(),
    };
  }

  get last(): string {
    return lastLine(this.text);
  }
}
