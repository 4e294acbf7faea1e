/** `app.commandLine`: the switches of this process, and those that the app adds for Chromium. */
import { HostObject } from './unsupported.ts';

/** Switches that are passed to Chromium; others are for the app only. */
const FOR_CHROMIUM = new Set([
  'remote-debugging-port',
  'remote-debugging-address',
  'no-sandbox',
  'enable-logging',
  'force-device-scale-factor',
  'lang',
  'disable-gpu',
  'ozone-platform',
  'enable-features',
  'disable-features',
  'js-flags',
  'proxy-server',
]);

export class CommandLine extends HostObject {
  readonly #given = new Map<string, string>();
  readonly #appended: [string, string][] = [];

  constructor() {
    super();
    for (const argument of process.argv.slice(1)) {
      const match = /^--([^=]+)(?:=(.*))?$/s.exec(argument);
      if (match !== null) this.#given.set(match[1] ?? '', match[2] ?? '');
    }
  }

  /** For startup: the switches for Chromium. */
  static forChromium(line: CommandLine): [string, string][] {
    return [...line.#given].filter(([name]) => FOR_CHROMIUM.has(name)).concat(line.#appended);
  }

  appendSwitch(name: string, value = ''): void {
    this.#appended.push([name, value]);
  }

  hasSwitch(name: string): boolean {
    return this.#given.has(name) || this.#appended.some(([item]) => item === name);
  }

  getSwitchValue(name: string): string {
    return this.#appended.findLast(([item]) => item === name)?.[1] ?? this.#given.get(name) ?? '';
  }
}
