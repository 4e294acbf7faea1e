/**
 * Looks for settings and connections that another process, e.g. a command line, has changed in the shared store, because
 * the store does not report them.
 */
import type { Clock, Logger } from '../core/ports.ts';
import { pollWithin } from '../jobs/shared-poll.ts';
import type { ConnectionList } from '../shared/contract.ts';
import { toAppError } from '../shared/errors.ts';
import type { Settings } from '../shared/settings.ts';

/** The interval at which a window looks for the work of other processes, so that it wakes up once for all. */
const LOOK_EVERY_MS = 15_000;
const WHAT = 'looking for changes by other programs';

interface WatchOthersDeps {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  settings: () => Settings;
  connections: () => Pick<ConnectionList, 'connections' | 'activeId'>;
  onSettings: () => void;
  onConnections: () => void;
}

interface OtherChanges {
  /** Call after a change of settings in this process, which is then not reported. */
  noteSettings(): void;
  /** The same for connections. */
  noteConnections(): void;
  stop(): void;
}

/** Starts looking. */
export function watchOthers(deps: WatchOthersDeps): OtherChanges {
  const { clock } = deps;
  const settings = new Watched(deps, () => {
    // The first is also true while the store cannot be read, which is no change; the second belongs to the connections.
    const { arePrivateFieldsLost: _, activeConnectionId: __, ...stored } = deps.settings();
    return JSON.stringify(stored);
  });
  const connections = new Watched(deps, () => {
    const { connections: all, activeId } = deps.connections();
    return JSON.stringify([all, activeId]);
  });
  let cancel: () => void = () => undefined;
  const lookLater = () => {
    cancel = pollWithin(clock, LOOK_EVERY_MS, WHAT, () => {
      lookLater();
      if (settings.hasChanged()) deps.onSettings();
      if (connections.hasChanged()) deps.onConnections();
    });
  };
  lookLater();
  return {
    noteSettings: () => void settings.hasChanged(),
    noteConnections: () => void connections.hasChanged(),
    stop: () => cancel(),
  };
}

class Watched {
  readonly #deps: Pick<WatchOthersDeps, 'logger'>;
  readonly #read: () => string;
  #known: string | null = null;

  constructor(deps: Pick<WatchOthersDeps, 'logger'>, read: () => string) {
    this.#deps = deps;
    this.#read = read;
    this.hasChanged();
  }

  /** Whether it differs from the last look. False while the store is locked; a later look then succeeds. */
  hasChanged(): boolean {
    try {
      const before = this.#known;
      this.#known = this.#read();
      return before !== null && before !== this.#known;
    } catch (thrown) {
      this.#deps.logger.warn('changes by other programs not looked for', {
        reason: toAppError(thrown).message,
      });
      return false;
    }
  }
}
