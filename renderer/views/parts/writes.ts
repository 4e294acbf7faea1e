/** May this connection be written to now? */
import { goesToOutbox, waitNote, writeBlock } from '../../lib/write-block.ts';
import { ActState } from '../../state/act.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import { activeConnectionId } from './held.ts';

/** Why nothing is sent now, in words; null where it is. Reactive. */
export function blockedWrites(connectionId: string): string | null {
  return writeBlock(app.connections.find(connectionId), app.network.phaseOf(connectionId));
}

/** Each is a change of its own in the outbox: more than this nobody would look through. */
const MOST_PUT = 200;

/**
 * Are so many changes put into the outbox now, each by itself, in place of being sent? More of them are one job, which
 * waits. Reactive.
 */
export function putsInOutbox(connectionId: string, count = 1): boolean {
  const isAway = goesToOutbox(app.connections.find(connectionId), app.network.phaseOf(connectionId));
  return isAway && count <= MOST_PUT;
}

/** Why one change can neither be sent nor put into the outbox; null where it can. Reactive. */
export function blockedChange(connectionId: string): string | null {
  return putsInOutbox(connectionId) ? null : blockedWrites(connectionId);
}

/**
 * Why a job cannot begin, now or later; null where it can: without a way to the service it waits. `isReading`: it
 * changes nothing, so that a read-only connection may do it. Reactive.
 */
export function blockedStart(connectionId: string, isReading = false): string | null {
  return writeBlock(asked(connectionId, isReading), 'online');
}

/** The same of what has to ask the service first, so that it cannot wait. Reactive. */
export function blockedAsking(connectionId: string): string | null {
  return writeBlock(asked(connectionId, true), app.network.phaseOf(connectionId));
}

function asked(connectionId: string, isReading: boolean) {
  const connection = app.connections.find(connectionId);
  return connection !== null && isReading ? { isReadOnly: false } : connection;
}

/** That a job which is begun now waits, in words; null where it is sent. Reactive. */
export function waitsNow(connectionId: string): string | null {
  return waitNote(app.network.phaseOf(connectionId));
}

/** Changes sent from a tab; what is under way outlives the view. */
export function heldAct(tabId: string, name: string): ActState {
  const connectionId = activeConnectionId();
  return app.tabs.hold(tabId, `act.${name}`, () => new ActState(connectionId));
}
