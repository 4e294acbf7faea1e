/** Whether this connection accepts changes at present. */
import { goesToOutbox, waitNote, writeBlock } from '../../lib/write-block.ts';
import { ActState } from '../../state/act.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import { activeConnectionId } from './tab-models.ts';

/** The reason why nothing can be sent at present, in words; null if it can. Reactive. */
export function blockedWrites(connectionId: string): string | null {
  return writeBlock(app.connections.find(connectionId), app.network.phaseOf(connectionId));
}

/** Each becomes a separate change in the outbox: nobody would review more. */
const MAX_PUT = 200;

/**
 * Whether this many changes are put into the outbox one by one in place of being sent. More changes form one
 * job, which waits. Reactive.
 */
export function putsInOutbox(connectionId: string, count = 1): boolean {
  const isAway = goesToOutbox(app.connections.find(connectionId), app.network.phaseOf(connectionId));
  return isAway && count <= MAX_PUT;
}

/** The reason why a change can neither be sent nor put into the outbox; null if it can. Reactive. */
export function blockedChange(connectionId: string): string | null {
  return putsInOutbox(connectionId) ? null : blockedWrites(connectionId);
}

/**
 * The reason why a job cannot be started, now or later; null if it can: if the service cannot be reached, the
 * job waits. `isReading`: it changes nothing, so a read-only connection allows it. Reactive.
 */
export function blockedStart(connectionId: string, isReading = false): string | null {
  return writeBlock(asked(connectionId, isReading), 'online');
}

/** The same for actions that query the service first and therefore cannot wait. Reactive. */
export function blockedAsking(connectionId: string): string | null {
  return writeBlock(asked(connectionId, true), app.network.phaseOf(connectionId));
}

function asked(connectionId: string, isReading: boolean) {
  const connection = app.connections.find(connectionId);
  return connection !== null && isReading ? { isReadOnly: false } : connection;
}

/** A note that a job started now will wait; null if it is sent at once. Reactive. */
export function waitsNow(connectionId: string): string | null {
  return waitNote(app.network.phaseOf(connectionId));
}

/** Changes sent from a tab; requests in flight outlive the view. */
export function actOfTab(tabId: string, name: string): ActState {
  const connectionId = activeConnectionId();
  return app.tabs.hold(tabId, `act.${name}`, () => new ActState(connectionId));
}
