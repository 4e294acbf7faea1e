/** The real Chromium that shows the windows: finds it, starts it without a window, and opens windows one at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { connect } from 'node:net';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { CdpConnection } from './cdp.ts';

/** Switches that disable Chromium's own network requests and first-run behaviour. */
const SWITCHES = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-field-trial-config',
  '--disable-search-engine-choice-screen',
  '--disable-session-crashed-bubble',
  '--disable-dev-shm-usage',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--hide-crash-restore-bubble',
  '--metrics-recording-only',
  '--password-store=basic',
  // Removes the infobar about --no-sandbox from the windows.
  '--test-type',
  // Keeps Chromium running after its last window was closed, because a window that a person closed may be opened again.
  '--keep-alive-for-test',
  // Restricts requests that no protocol handler serves to this computer.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1 , EXCLUDE [::1]',
  // Ignores proxies from the environment.
  '--no-proxy-server',
];

const DISABLED_FEATURES = [
  'Translate',
  'OptimizationHints',
  'MediaRouter',
  'DialMediaRouteProvider',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
];

/** Size and position of a window on the screen, in device-independent pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How to start Chromium. */
export interface ChromiumOptions {
  readonly profile: string;
  /** Switches added by the app and the command line, as [name, value]. */
  readonly switches: readonly (readonly [string, string])[];
}

/** Path of Chromium: `SPANDECK_CHROMIUM`, otherwise `chromium` in PATH. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  if (env['SPANDECK_CHROMIUM'] !== undefined) return env['SPANDECK_CHROMIUM'];
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, 'chromium')).find((file) => fs.existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    'Expected Chromium as "chromium" in PATH or in SPANDECK_CHROMIUM, found none. Install it (apt-get install chromium) and start again.',
  );
}

/** Whether there is no display for windows. */
export const isHeadless = (env: NodeJS.ProcessEnv = process.env): boolean =>
  !env['DISPLAY'] && !env['WAYLAND_DISPLAY'];

/** All switches in order. Repeated lists of features are joined, because Chromium uses only the last list. */
function commandLine(options: ChromiumOptions): string[] {
  const features = { 'disable-features': [...DISABLED_FEATURES], 'enable-features': [] as string[] };
  const others: string[] = [];
  for (const [name, value] of options.switches) {
    if (name === 'disable-features' || name === 'enable-features') features[name].push(value);
    else others.push(value === '' ? `--${name}` : `--${name}=${value}`);
  }
  const args = [...SWITCHES, ...others, `--user-data-dir=${options.profile}`];
  for (const [name, values] of Object.entries(features)) {
    if (values.length > 0) args.push(`--${name}=${values.filter((value) => value !== '').join(',')}`);
  }
  if (isHeadless()) args.push('--headless=new');
  else if (!process.env['DISPLAY']) args.push('--ozone-platform=wayland');
  if (process.getuid?.() === 0 && !args.includes('--no-sandbox')) args.push('--no-sandbox');
  if (!fs.existsSync('/dev/dri')) args.push('--disable-gpu');
  return args;
}

/** Asks the running Chromium for a window in the way a second start would, without starting a process. */
function askRunningInstance(profile: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path.join(profile, 'SingletonSocket'));
    // A Chromium that has ended refuses at once; a busy one answers late.
    socket.setTimeout(30_000, () => socket.destroy());
    socket.on('connect', () => socket.end(['START', process.cwd(), ...args].join('\0')));
    socket.on('data', (data) => resolve(data.toString('latin1').startsWith('ACK')));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}

export class Chromium {
  readonly connection: CdpConnection;
  readonly #child: ChildProcess;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #profile: string;
  readonly #lastLines: string[] = [];

  private constructor(program: string, options: ChromiumOptions) {
    this.#program = program;
    this.#profile = options.profile;
    this.#args = commandLine(options);
    this.#child = spawn(program, [...this.#args, '--remote-debugging-pipe', '--no-startup-window'], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [, , , output, input] = this.#child.stdio;
    this.connection = new CdpConnection(output as Writable, input as Readable);
    this.#child.on('error', () => this.connection.emit('closed'));
    createInterface({ input: this.#child.stderr as Readable }).on('line', (line) => this.#onLine(line));
  }

  /** Starts Chromium. Resolves with it and its version ("156.0.…") when it responds. */
  static async start(options: ChromiumOptions): Promise<{ chromium: Chromium; version: string }> {
    fs.mkdirSync(options.profile, { recursive: true });
    const program = findChromium();
    const chromium = new Chromium(program, options);
    try {
      const { product } = await chromium.connection.send('Browser.getVersion');
      return { chromium, version: String(product).replace(/^.*\//, '') };
    } catch {
      throw new Error(
        `Chromium (${program}) ended before it answered. Its last lines:\n${chromium.lastLines}`,
      );
    }
  }

  get lastLines(): string {
    return this.#lastLines.join('\n');
  }

  #onLine(line: string): void {
    // Playwright reads this line from Electron's standard error to find the port.
    if (line.startsWith('DevTools listening on ') || process.env['SPANDECK_HOST_LOG'] !== undefined) {
      process.stderr.write(`${line}\n`);
    }
    // Ignored: Chromium asks for D-Bus services that a computer without a desktop lacks, which is never why it ended.
    if (line.includes(':ERROR:dbus/')) return;
    this.#lastLines.push(line);
    if (this.#lastLines.length > 20) this.#lastLines.shift();
  }

  /** Opens a window without tabs or address bar that shows `url`; its target is announced like any other. */
  async openWindow(url: string, isMinimized: boolean): Promise<void> {
    if (isHeadless() || isMinimized) {
      const state = isMinimized ? { windowState: 'minimized', background: true } : {};
      this.connection.notify('Target.createTarget', { url, newWindow: true, ...state });
      return;
    }
    const args = [this.#program, ...this.#args, `--app=${url}`];
    if (await askRunningInstance(this.#profile, args)) return;
    spawn(this.#program, args.slice(1), { stdio: 'ignore' });
  }

  /** Ends Chromium normally, so that it writes its profile, and kills it after 3 seconds. */
  close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3_000);
      this.#child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      this.connection.notify('Browser.close');
    });
  }
}
