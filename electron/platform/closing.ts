/** Ends the application: first the window, then all components, without waiting for those that hang. */
import type { BrowserWindow } from 'electron';
import type { Clock } from '../core/ports.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { FileLogger } from './logger.ts';

/** Maximum duration, longer than any wait at the end, e.g. an upload's grace period or an unresponsive keychain. */
const CLOSING_MS = 15_000;
const WINDOW_CLOSING_MS = 10_000;
/** Maximum wait for the page, which stores its pending changes; a hanging page is not awaited longer. */
export const SAVING_MS = 10_000;

interface ClosingDeps {
  /** Null if the window is already closed. */
  window: Pick<BrowserWindow, 'once' | 'close'> | null;
  /** Asks the page to store its pending changes. Resolves when they are stored. */
  save: () => Promise<void>;
  stop: () => Promise<void>;
  clock: Clock;
  logger: FileLogger;
}

/** Never rejects: a component that fails or hangs is logged and does not keep the process alive. */
export async function closeAll({ window, save, stop, clock, logger }: ClosingDeps): Promise<void> {
  // The window is closed first, so that its last messages are still accepted.
  if (window !== null) {
    // Messages that a page sends while it unloads can be lost.
    await atMost(SAVING_MS, save(), clock);
    await closeWindow(window, clock);
  }
  const late = Promise.withResolvers<never>();
  const cancelTimer = clock.setTimer(
    () => late.reject(new AppError('TIMEOUT', `Closing took longer than ${CLOSING_MS / 1_000} s.`)),
    CLOSING_MS,
  );
  try {
    await Promise.race([stop(), late.promise]);
    logger.info('closed');
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    logger.error('not closed in order', { code, reason: message });
  } finally {
    cancelTimer();
    logger.flushSync();
  }
}

interface PageSaver {
  /** Resolves when the page has stored its pending changes; at once if no page listens. */
  save(): Promise<void>;
  /** Notes that the page has stored them. */
  saved(): void;
}

/** `ask`: sends the request to the page. `isListening`: whether a page is there that takes it. */
export function createPageSaver(ask: () => void, isListening: () => boolean): PageSaver {
  const answer = Promise.withResolvers<void>();
  return {
    save: () => {
      if (!isListening()) return Promise.resolve();
      ask();
      return answer.promise;
    },
    saved: () => answer.resolve(),
  };
}

async function closeWindow(window: NonNullable<ClosingDeps['window']>, clock: Clock): Promise<void> {
  const gone = Promise.withResolvers<void>();
  window.once('closed', () => gone.resolve());
  window.close();
  await atMost(WINDOW_CLOSING_MS, gone.promise, clock);
}

/** Waits until the work is done, or the time has passed. */
async function atMost(limitMs: number, work: Promise<void>, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancelTimer = clock.setTimer(() => late.resolve(), limitMs);
  await Promise.race([work, late.promise]);
  cancelTimer();
}
