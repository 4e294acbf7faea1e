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
  window: Pick<BrowserWindow, 'on' | 'off' | 'once' | 'close'> | null;
  /** Asks the page to store its pending changes. Resolves when they are stored. */
  save: () => Promise<void>;
  stop: () => Promise<void>;
  clock: Clock;
  logger: FileLogger;
}

/** Never rejects: a component that fails or hangs is logged and does not keep the process alive. */
export async function closeAll({ window, save, stop, clock, logger }: ClosingDeps): Promise<void> {
  // The window is closed first, so that its last messages are still accepted.
  if (window !== null) await closeWindow(window, save, clock);
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
  /** Notes that the page has stored them, or is gone. */
  saved(): void;
}

/** `ask`: sends the request to the page. `isListening`: whether a page is there that takes it. */
export function createPageSaver(ask: () => void, isListening: () => boolean): PageSaver {
  let answer: PromiseWithResolvers<void> | null = null;
  return {
    save: () => {
      if (!isListening()) return Promise.resolve();
      answer = Promise.withResolvers<void>();
      ask();
      return answer.promise;
    },
    saved: () => answer?.resolve(),
  };
}

async function closeWindow(
  window: NonNullable<ClosingDeps['window']>,
  save: ClosingDeps['save'],
  clock: Clock,
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  let isGone = false;
  window.once('closed', () => {
    isGone = true;
    gone.resolve();
  });
  // A second click on the closing button must not cut off the saving.
  const hold = (event: Pick<Event, 'preventDefault'>): void => event.preventDefault();
  window.on('close', hold);
  // Messages that a page sends while it unloads can be lost.
  await atMost(SAVING_MS, Promise.race([save(), gone.promise]), clock);
  // Every call of a destroyed window throws.
  if (isGone) return;
  window.off('close', hold);
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
