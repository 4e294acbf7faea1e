/** The smaller modules: notifications, power, network state, screen. */
import * as os from 'node:os';
import type { Rectangle } from './chromium.ts';
import { hasProgram, runProgram } from './programs.ts';
import { HostEmitter, HostObject } from './unsupported.ts';
import { stateListeners } from './web-contents.ts';

/** Types as in Electron's documentation, limited to the parts that the stand-in supports. */
export interface NotificationConstructorOptions {
  title?: string;
  body?: string;
  silent?: boolean;
}

/** A notification, shown by notify-send if that is available; clicks are never reported. */
export class Notification extends HostEmitter {
  readonly #options: NotificationConstructorOptions;

  constructor(options: NotificationConstructorOptions = {}) {
    super();
    this.#options = options;
  }

  static isSupported(): boolean {
    return hasProgram('notify-send') && process.env['DBUS_SESSION_BUS_ADDRESS'] !== undefined;
  }

  show(): void {
    const { title = '', body = '' } = this.#options;
    runProgram('notify-send', ['--', title, body], 'Notification.show').then(
      () => this.emit('show', {}),
      (error: unknown) => this.emit('failed', {}, String(error)),
    );
  }

  close(): void {
    this.emit('close', {});
  }
}

/** Counts the blockers, but does not keep the computer awake. */
export class PowerSaveBlocker extends HostObject {
  readonly #started = new Set<number>();
  #lastId = 0;

  start(_type: 'prevent-app-suspension' | 'prevent-display-sleep'): number {
    this.#lastId += 1;
    this.#started.add(this.#lastId);
    return this.#lastId;
  }

  stop(id: number): boolean {
    return this.#started.delete(id);
  }

  isStarted(id: number): boolean {
    return this.#started.has(id);
  }
}
export const powerSaveBlocker: PowerSaveBlocker = new PowerSaveBlocker();

/** Emits no suspend and resume events; products that must notice them compare clocks. */
export class PowerMonitor extends HostEmitter {}
export const powerMonitor: PowerMonitor = new PowerMonitor();

export class Net extends HostObject {
  /** Whether any address other than loopback is configured; as in Electron, this is not conclusive. */
  isOnline(): boolean {
    return Object.values(os.networkInterfaces()).some(
      (list) => list?.some(({ internal }) => !internal) === true,
    );
  }

  get online(): boolean {
    return this.isOnline();
  }
}
export const net: Net = new Net();

/** The only display, with the facts that pages report. */
export interface Display {
  readonly id: number;
  readonly bounds: Rectangle;
  readonly workArea: Rectangle;
  readonly size: { width: number; height: number };
  readonly workAreaSize: { width: number; height: number };
  readonly scaleFactor: number;
}

export class Screen extends HostEmitter {
  #size = { width: 1920, height: 1080 };
  #scaleFactor = 1;

  /** Starts listening to the facts about the screen that pages report. */
  static listen(target: Screen): void {
    stateListeners.add((_contents, state) => {
      target.#size = state.area;
      target.#scaleFactor = state.scaleFactor;
    });
  }

  getPrimaryDisplay(): Display {
    const bounds = { x: 0, y: 0, ...this.#size };
    return {
      id: 1,
      bounds,
      workArea: bounds,
      size: this.#size,
      workAreaSize: this.#size,
      scaleFactor: this.#scaleFactor,
    };
  }

  getAllDisplays(): Display[] {
    return [this.getPrimaryDisplay()];
  }

  getDisplayMatching(_rectangle: Rectangle): Display {
    return this.getPrimaryDisplay();
  }

  getDisplayNearestPoint(_point: { x: number; y: number }): Display {
    return this.getPrimaryDisplay();
  }
}
export const screen: Screen = new Screen();
