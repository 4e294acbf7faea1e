import type { Clock, Logger } from '../core/ports.ts';
import type { WindowCrash } from '../shared/contract.ts';
import { methodOf } from './runtime-parts.ts';

/** What this needs of a window's contents. */
interface Contents {
  on(
    event: 'render-process-gone',
    listener: (event: unknown, details: { reason: string; exitCode: number }) => void,
  ): unknown;
  on(event: 'unresponsive' | 'responsive', listener: () => void): unknown;
  reload(): void;
}

/** Reloads in a row; one more crash is no accident, and going on would only heat the computer. */
const MOST_RELOADS = 3;
/** A page that was loaded again and shows nothing after so long is loaded once more: what it asked for was lost. */
const BACK_MS = 10_000;
/** A crash after so long a time begins a new row. */
const ROW_MS = 60_000;

export interface CrashWatch {
  /** The crash after which the window was loaded again, for the window to say; once. */
  take(): WindowCrash | null;
  /** The window shows its content: what ends it from outside now is no loop of its own. */
  ready(): void;
}

/** A window whose process is gone stays blank for ever: it is written down and the window is loaded again. */
export function reloadAfterCrash(
  contents: Contents,
  deps: {
    clock: Clock;
    logger: Logger;
    isClosing: () => boolean;
    /** Asks a person whether a page that does not answer is loaded again. */
    askHanging: () => Promise<boolean>;
    onGivenUp: (crash: WindowCrash) => void;
  },
): CrashWatch {
  const { clock, logger } = deps;
  let reloads = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let untold: WindowCrash | null = null;
  let isReady = false;
  let endWait = (): void => undefined;
  const reload = (): void => {
    reloads += 1;
    contents.reload();
    endWait();
    endWait = clock.setTimer(() => {
      if (deps.isClosing() || reloads === MOST_RELOADS) return;
      logger.error('window not back', { reloads });
      reload();
    }, BACK_MS);
  };
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || deps.isClosing()) return;
    const now = clock.monotonicMs();
    if (now - lastAt > ROW_MS || (isReady && reason === 'killed')) reloads = 0;
    isReady = false;
    lastAt = now;
    logger.error('window crashed', { reason, exitCode, reloads });
    const crash = { atMs: clock.nowMs(), reason: wordsOf(reason) };
    if (reloads === MOST_RELOADS) return deps.onGivenUp(crash);
    untold = crash;
    reload();
  });
  let isHanging = false;
  let isAsked = false;
  contents.on('responsive', () => {
    if (isHanging) logger.info('window answers again');
    isHanging = false;
  });
  contents.on('unresponsive', () => {
    if (deps.isClosing()) return;
    isHanging = true;
    logger.error('window does not answer');
    if (isAsked) return;
    isAsked = true;
    void deps.askHanging().then((isWanted) => {
      isAsked = false;
      // It may have come back while somebody read the question. Ending it leads to the reload above.
      if (isWanted && isHanging) methodOf(contents, 'forcefullyCrashRenderer')?.();
    });
  });
  return {
    take: () => {
      const crash = untold;
      untold = null;
      return crash;
    },
    ready: () => {
      isReady = true;
      endWait();
    },
  };
}

function wordsOf(reason: string): string {
  if (reason === 'oom' || reason === 'memory-eviction') return 'out of memory';
  if (reason === 'killed') return 'ended from outside';
  return reason;
}
