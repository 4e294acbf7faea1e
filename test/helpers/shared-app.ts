/** One app for those tests of a worker that neither end it nor change anything that remains after a connection. */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Dialog } from 'electron';
// Provides the type of `window.spandeck` for functions that run in the window.
import type {} from '../../renderer/lib/client.ts';
import { expect, type Launched, launchApp } from './app.ts';
import { filesBelow } from './find-text.ts';
import { WelcomePage } from './pages.ts';

/** State, other than connections, that a test could leave to the next one. */
interface Ground {
  readonly connections: unknown;
  readonly settings: unknown;
  readonly size: unknown;
  /** Whether the clock of the window is that of the computer. */
  readonly hasClock: boolean;
  readonly files: readonly string[];
}

declare global {
  /** The original system dialogs, kept before a test replaces them. */
  var firstDialogs: Pick<Dialog, 'showOpenDialog' | 'showSaveDialog'> | undefined;
}

/**
 * Folders that Chromium, the log and copies may leave, as the product keeps copies for days, and the extra files of an
 * open store.
 */
const PASSING = /^(?:engine|logs|copies)(?:[\\/]|$)|-(?:wal|shm)$/;

async function groundOf({ page, dataDir }: Launched): Promise<Ground> {
  const { nowMs, ...seen } = await page.evaluate(async () => {
    const ask = async (channel: string): Promise<unknown> => {
      const answer = await window.spandeck?.invoke(channel, undefined);
      return (answer as { value: unknown }).value;
    };
    return {
      connections: await ask('connections:list'),
      settings: await ask('settings:get'),
      size: [window.innerWidth, window.innerHeight],
      nowMs: Date.now(),
    };
  });
  const hasClock = Math.abs(Date.now() - nowMs) < 3_600_000;
  const files = filesBelow(dataDir)
    .map((file) => path.relative(dataDir, file))
    .filter((file) => !PASSING.test(file));
  return { ...seen, hasClock, files: files.toSorted() };
}

export class SharedApp {
  #launched: Launched | null = null;
  #ground: Ground | null = null;
  readonly #dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-shared-'));

  /** The app at its welcome page: the one that the previous test left clean, or a new one. */
  async take(): Promise<Launched> {
    if (this.#launched !== null) return this.#launched;
    const launched = await launchApp({ dataDir: this.#dataDir });
    await launched.app.evaluate(({ dialog }) => {
      globalThis.firstDialogs = {
        showOpenDialog: dialog.showOpenDialog,
        showSaveDialog: dialog.showSaveDialog,
      };
    });
    await expect(new WelcomePage(launched.page).connect).toBeVisible();
    this.#ground = await groundOf(launched);
    this.#launched = launched;
    return launched;
  }

  /**
   * Removes all connections, resets settings and reloads the window. Fails if anything else differs from the initial
   * state.
   */
  async leave(): Promise<void> {
    if (this.#launched === null) return;
    const { app, page } = this.#launched;
    await page.evaluate(async (settings) => {
      const ask = async (channel: string, argument: unknown): Promise<unknown> => {
        const answer = await window.spandeck?.invoke(channel, argument);
        const { ok, value } = answer as { ok: boolean; value: unknown };
        if (!ok) throw new Error(`Expected ${channel} to be answered; got ${JSON.stringify(answer)}.`);
        return value;
      };
      const { connections } = (await ask('connections:list', undefined)) as { connections: { id: string }[] };
      for (const { id: connectionId } of connections) {
        const network = await ask('connections:get-network', { connectionId });
        // Working offline applies to the whole app, and not to a connection.
        if ((network as { state: string }).state === 'switched-off')
          await ask('connections:set-offline', { connectionId, isOffline: false });
        await ask('connections:forget', { connectionId });
      }
      await ask('settings:set', settings);
    }, this.#ground?.settings);
    await app.evaluate(({ dialog }) => {
      Object.assign(dialog, globalThis.firstDialogs);
    });
    await page.reload();
    await expect(new WelcomePage(page).connect).toBeVisible();
    expect(app.windows()).toHaveLength(1);
    expect(
      await groundOf(this.#launched),
      'A test that changes more than connections launches an app of its own',
    ).toEqual(this.#ground);
  }

  async close(): Promise<void> {
    await this.#launched?.close();
    fs.rmSync(this.#dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
