/** Why a connection sends nothing. */
import type { NetworkMonitor } from '../connections/network-monitor.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { Connection, NetworkState } from '../shared/model.ts';

/** The refusal of whatever changes something, or null where it may be sent. */
export function sendingRefusal({ isReadOnly, name }: Connection, network: NetworkMonitor): AppError | null {
  if (isReadOnly) {
    const message = `${name} is a read-only connection. Nothing was sent. Switch that off in the connection to send.`;
    return new AppError('READ_ONLY', message, { outcome: 'unsent' });
  }
  return network.isSwitchedOff() ? unreachableError(network.state()) : null;
}

/** Why nothing would be answered now, as far as the last requests showed, or null. */
export function absence(network: NetworkMonitor): AppError | null {
  const state = network.state();
  return state.state === 'online' || state.state === 'unknown' ? null : unreachableError(state);
}

export function unreachableError(state: NetworkState): AppError {
  if (state.error !== null) return fromWire(state.error);
  return new AppError('OFFLINE', 'Working offline: nothing is requested from the service.', {
    outcome: 'unsent',
  });
}
