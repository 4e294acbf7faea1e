/** Ends the application: first the window, then all components, without waiting for those that hang. */
import type { BrowserWindow } from 'electron';
import type { Clock } from '../core/ports.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { FileLogger } from './logger.ts';

/** Maximum duration, longer than any wait at the end, e.g. an upload's grace period or an unresponsive keychain. */
const CLOSING_MS = 15_000;
const WINDOW_CLOSING_MS = 10_000;

interface ClosingDeps {
  /** Null if the window is already closed. */
  window: Pick<BrowserWindow, 'once' | 'close'> | null;
  stop: () => Promise<void>;
  clock: Clock;
  logger: FileLogger;
}

/** Never rejects: a component that fails or hangs is logged and does not keep the process alive. */
export async function closeAll({ window, stop, clock, logger }: ClosingDeps): Promise<void> {
  // The window is closed first, so that its last messages are still accepted.
  if (window !== null) await closeWindow(window, clock);
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

async function closeWindow(window: NonNullable<ClosingDeps['window']>, clock: Clock): Promise<void> {
  const gone = Promise.withResolvers<void>();
  window.once('closed', () => gone.resolve());
  const cancelTimer = clock.setTimer(() => gone.resolve(), WINDOW_CLOSING_MS);
  window.close();
  await gone.promise;
  cancelTimer();
}
