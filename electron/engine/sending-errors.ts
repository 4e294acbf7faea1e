/** The reasons why a connection sends nothing. */
import type { NetworkMonitor } from '../connections/network-monitor.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { Connection, NetworkState } from '../shared/model.ts';

/** Why nothing is requested for a pack: it has no service. Null for any other connection. */
export function packError({ kind, name }: Connection): AppError | null {
  if (kind !== 'pack') return null;
  const message = `${name} is a pack: it can only be read, and it has no service. Nothing was sent.`;
  return new AppError('READ_ONLY', message, { outcome: 'unsent' });
}

/** Why no change is sent; null if changes may be sent. */
export function sendingError(connection: Connection, network: NetworkMonitor): AppError | null {
  const { isReadOnly, name } = connection;
  const blockingError = packError(connection);
  if (blockingError !== null) return blockingError;
  if (isReadOnly) {
    const message = `${name} is a read-only connection. Nothing was sent. Switch that off in the connection to send.`;
    return new AppError('READ_ONLY', message, { outcome: 'unsent' });
  }
  return network.isSwitchedOff() ? unreachableError(network.state()) : null;
}

/** Why no request would reach the service now, judged by the last requests; null if it would. */
export function offlineError(network: NetworkMonitor): AppError | null {
  const state = network.state();
  if (state.state !== 'unreachable') return null;
  const { code, message, details } = unreachableError(state);
  // The outcome of the failed request does not apply to the request that is refused now.
  return new AppError(code, message, { ...details, outcome: 'unsent' });
}

/** Why no request would be answered now, judged by the last requests; null if it would. */
export function noServiceError(network: NetworkMonitor): AppError | null {
  const state = network.state();
  return state.state === 'online' || state.state === 'unknown' ? null : unreachableError(state);
}

export function unreachableError(state: NetworkState): AppError {
  if (state.error !== null) return fromWire(state.error);
  return new AppError('OFFLINE', 'Working offline: nothing is requested from the service.', {
    outcome: 'unsent',
  });
}
