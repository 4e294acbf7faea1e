import type { Clock, Logger } from '../core/ports.ts';
import type { WindowCrash } from '../shared/contract.ts';
import { detached } from '../shared/detached.ts';
import { methodOf } from './runtime-parts.ts';

/** The members of a window's contents that are used here. */
interface Contents {
  on(
    event: 'render-process-gone',
    listener: (event: unknown, details: { reason: string; exitCode: number }) => void,
  ): unknown;
  on(event: 'unresponsive' | 'responsive', listener: () => void): unknown;
  reload(): void;
  isCrashed(): boolean;
}

/** Maximum consecutive reloads. A further crash is not a coincidence, and continuing would only use power. */
const MAX_RELOADS = 3;
/** A reloaded page that shows nothing after this time is reloaded again, because its requests were lost. */
const BACK_MS = 30_000;
/** A crash after this time starts a new count. */
const ROW_MS = 60_000;

export interface CrashWatch {
  /** The crash that caused the last reload, for display; returned only once, unless the page was reloaded again. */
  take(): WindowCrash | null;
  /**
   * Notes that the window shows its contents, so that a later crash with an external cause does not count as a crash
   * loop.
   */
  ready(): void;
}

/** Records a crash of the window's process and reloads the window, which would otherwise stay blank. */
export function reloadAfterCrash(
  contents: Contents,
  deps: {
    clock: Clock;
    logger: Logger;
    isClosing: () => boolean;
    /** Asks whether to reload an unresponsive page. */
    askHanging: () => Promise<boolean>;
    onGivenUp: (crash: WindowCrash) => void;
  },
): CrashWatch {
  const { clock, logger } = deps;
  let reloads = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let pendingCrash: WindowCrash | null = null;
  /** The crash that the page has received but may not have shown yet. */
  let takenCrash: WindowCrash | null = null;
  let isReady = false;
  let endWait = (): void => undefined;
  const reload = (): void => {
    reloads += 1;
    lastAt = clock.monotonicMs();
    contents.reload();
    endWait();
    endWait = clock.setTimer(() => {
      if (deps.isClosing() || reloads === MAX_RELOADS) return;
      logger.error('window not back', { reloads });
      pendingCrash ??= takenCrash;
      reload();
    }, BACK_MS);
  };
  const gone = ({ reason, exitCode }: { reason: string; exitCode: number | null }): void => {
    if (reason === 'clean-exit' || deps.isClosing()) return;
    const now = clock.monotonicMs();
    if (now - lastAt > ROW_MS || (isReady && reason === 'killed')) reloads = 0;
    isReady = false;
    lastAt = now;
    logger.error('window crashed', { reason, exitCode, reloads });
    const crash = { atMs: clock.nowMs(), reason: wordsOf(reason) };
    if (reloads === MAX_RELOADS) {
      deps.onGivenUp(crash);
      return;
    }
    pendingCrash = crash;
    reload();
  };
  contents.on('render-process-gone', (_event, details) => gone(details));
  // The window is open before this is called, so its process may have crashed already.
  if (contents.isCrashed()) gone({ reason: 'crashed', exitCode: null });
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
    const asking = deps.askHanging().then((isWanted) => {
      isAsked = false;
      // The page may have recovered while somebody read the question. Ending it triggers the reload above.
      if (isWanted && isHanging) methodOf(contents, 'forcefullyCrashRenderer')?.();
    });
    detached('asking about a window that does not answer', asking);
  });
  return {
    take: () => {
      const crash = pendingCrash;
      pendingCrash = null;
      takenCrash = crash ?? takenCrash;
      return crash;
    },
    ready: () => {
      isReady = true;
      takenCrash = null;
      endWait();
    },
  };
}

function wordsOf(reason: string): string {
  if (reason === 'oom' || reason === 'memory-eviction') return 'out of memory';
  if (reason === 'killed') return 'ended from outside';
  return reason;
}
