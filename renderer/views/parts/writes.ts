/** Whether the connection accepts changes at present. */
import type { Freshness } from '../../../electron/shared/model.ts';
import { goesToOutbox, moveBlock, waitNote, writeBlock } from '../../lib/write-block.ts';
import { ActState } from '../../state/act.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';
import { activeConnectionId } from './tab-models.ts';

/** The reason why nothing can be sent at present, as a sentence; null if it can. Reactive. */
export function blockedWrites(connectionId: string): string | null {
  return writeBlock(app.connections.find(connectionId), app.network.phaseOf(connectionId));
}

/** A list or record as it is shown. */
export interface Shown {
  connectionId: string;
  freshness: Freshness | null;
}

/** A copy of the freshness of shown rows, for a dialog that keeps these rows while their list is read again. */
export function shownNow({ connectionId, freshness }: Shown): Shown {
  return { connectionId, freshness };
}

/**
 * The reason why a shown list or record must be read again before it is changed; null if it can be changed, or if nothing
 * is shown. Reactive.
 */
export function blockedByMove(shown: Shown | null): string | null {
  if (shown === null) return null;
  const connection = app.connections.find(shown.connectionId);
  // Views of a connection that never moved need no updates as time passes.
  if (connection?.movedFrom === undefined) return null;
  return moveBlock(connection, shown.freshness, clock.nowMs);
}

/** Maximum number of changes that are put into the outbox one by one; nobody would review more. */
const MAX_PUT = 200;

/**
 * Whether this many changes are put into the outbox one by one instead of being sent. A larger number forms one job,
 * which waits. Reactive.
 */
export function putsInOutbox(connectionId: string, count = 1): boolean {
  const isAway = goesToOutbox(app.connections.find(connectionId), app.network.phaseOf(connectionId));
  return isAway && count <= MAX_PUT;
}

/**
 * The reason why a change can neither be sent nor put into the outbox; null if it can. `shown`: what it changes. Reactive.
 */
export function blockedChange(connectionId: string, shown: Shown | null = null): string | null {
  return blockedByMove(shown) ?? (putsInOutbox(connectionId) ? null : blockedWrites(connectionId));
}

/**
 * The reason why a job cannot be started, now or later; null if it can. An unreachable service is no reason, as the job
 * waits for it. `isReading`: the job changes nothing, so a read-only connection allows it. Reactive.
 */
export function blockedStart(connectionId: string, isReading = false): string | null {
  return writeBlock(asked(connectionId, isReading), 'online');
}

/** The same for actions that query the service first, so that they cannot wait. Reactive. */
export function blockedAsking(connectionId: string): string | null {
  return writeBlock(asked(connectionId, true), app.network.phaseOf(connectionId));
}

function asked(connectionId: string, isReading: boolean) {
  const connection = app.connections.find(connectionId);
  return connection !== null && isReading ? { isReadOnly: false } : connection;
}

/** A note that a job started now will have to wait; null if it need not. Reactive. */
export function waitsNow(connectionId: string): string | null {
  return waitNote(app.network.phaseOf(connectionId));
}

/** Changes sent from a tab. Requests in flight survive the view. */
export function actOfTab(tabId: string, name: string): ActState {
  const connectionId = activeConnectionId();
  return app.tabs.hold(tabId, `act.${name}`, () => new ActState(connectionId));
}
