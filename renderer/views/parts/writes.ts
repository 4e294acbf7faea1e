/** May this connection be written to now? */
import { goesToOutbox, writeBlock } from '../../lib/write-block.ts';
import { ActState } from '../../state/act.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import { activeConnectionId } from './held.ts';

/** Why nothing is sent now, in words; null where it is. Reactive. */
export function blockedWrites(connectionId: string): string | null {
  return writeBlock(app.connections.find(connectionId), app.network.phaseOf(connectionId));
}

/** Is one change put into the outbox now, in place of being sent? Reactive. */
export function putsInOutbox(connectionId: string): boolean {
  return goesToOutbox(app.connections.find(connectionId), app.network.phaseOf(connectionId));
}

/** Why one change can neither be sent nor put into the outbox; null where it can. Reactive. */
export function blockedChange(connectionId: string): string | null {
  return putsInOutbox(connectionId) ? null : blockedWrites(connectionId);
}

/** Each is a change of its own in the outbox: more than this nobody would look through. */
const MOST_PUT = 200;

/** Why one change for each of several records can neither be sent nor put into the outbox; null where it can. Reactive. */
export function blockedEach(connectionId: string, when: 'now' | 'later', count: number): string | null {
  if (when === 'later' || !putsInOutbox(connectionId)) return blockedStart(connectionId, when);
  if (count <= MOST_PUT) return null;
  return `Offline, at most ${MOST_PUT} changes are put into the outbox at once. Select fewer, or choose a later time.`;
}

/**
 * Why nothing can begin, now or at a later time, whichever was chosen; null where it can. `isReading`: it changes
 * nothing, so that a read-only connection may do it. Reactive.
 */
export function blockedStart(connectionId: string, when: 'now' | 'later', isReading = false): string | null {
  const connection = app.connections.find(connectionId);
  const asked = connection !== null && isReading ? { isReadOnly: false } : connection;
  return writeBlock(asked, when === 'now' ? app.network.phaseOf(connectionId) : 'online');
}

/** Changes sent from a tab; what is under way outlives the view. */
export function heldAct(tabId: string, name: string): ActState {
  const connectionId = activeConnectionId();
  return app.tabs.hold(tabId, `act.${name}`, () => new ActState(connectionId));
}
