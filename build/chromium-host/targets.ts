/**
 * Distinguishes the app's windows, which the app requested, among Chromium's targets. Any other page is closed at once.
 */
import type { CdpConnection, CdpResult } from './cdp.ts';
import type { Chromium } from './chromium.ts';
import { objectAt, textAt } from './events.ts';

/** Attaches to a new target and prepares it before its first request is answered. */
type Prepare = (targetId: string) => Promise<void>;

export class Targets {
  readonly #chromium: Chromium;
  readonly #connection: CdpConnection;
  readonly #prepared = new Map<string, Promise<void>>();
  readonly #refused = new Set<string>();
  readonly #onGone = new Map<string, () => void>();
  #opening: { url: string; prepare: Prepare; resolve(targetId: string): void } | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(chromium: Chromium) {
    this.#chromium = chromium;
    this.#connection = chromium.connection;
    this.#connection.on('Target.targetCreated', (params: CdpResult) =>
      this.#onCreated(objectAt(params, 'targetInfo')),
    );
    this.#connection.on('Target.targetDestroyed', (params: CdpResult) => {
      const id = textAt(params, 'targetId');
      this.#prepared.delete(id);
      this.#refused.delete(id);
      this.#onGone.get(id)?.();
      this.#onGone.delete(id);
    });
  }

  /** Starts listening for targets. */
  async start(): Promise<void> {
    await this.#connection.send('Target.setDiscoverTargets', { discover: true });
  }

  /**
   * Opens a window with `url` (in Chromium's form), one at a time, so that each call finds its own target. A window
   * that is never shown is minimized, because Chromium prints no page without a window.
   */
  open(
    url: string,
    { isNeverShown, prepare, onGone }: { isNeverShown: boolean; prepare: Prepare; onGone: () => void },
  ): Promise<string> {
    const opened = this.#queue.then(async () => {
      const found = new Promise<string>((resolve) => {
        this.#opening = { url, prepare, resolve };
      });
      await this.#chromium.openWindow(url, isNeverShown);
      const targetId = await found;
      this.#onGone.set(targetId, onGone);
      await this.#prepared.get(targetId);
      return targetId;
    });
    this.#queue = opened.catch(() => undefined);
    return opened;
  }

  #onCreated(info: CdpResult): void {
    const id = textAt(info, 'targetId');
    const url = textAt(info, 'url');
    if (info['type'] !== 'page' || url.startsWith('devtools://')) return;
    const opening = this.#opening;
    if (opening !== undefined && info['openerId'] === undefined) {
      this.#opening = undefined;
      this.#prepared.set(id, opening.prepare(id));
      opening.resolve(id);
      return;
    }
    // A popup that the page itself did not block, or a window of Chromium: nothing of it is loaded.
    this.#refused.add(id);
    this.#connection.notify('Target.closeTarget', { targetId: id });
  }

  /** Whether a frame may load. Waits until its window is prepared, because the preload must be installed first. */
  async admitFrame(frameId: string, isDocument: boolean): Promise<boolean> {
    if (this.#refused.has(frameId)) return false;
    if (isDocument) await this.#prepared.get(frameId);
    return true;
  }
}
