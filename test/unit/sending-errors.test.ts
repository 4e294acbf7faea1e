/** The reason why no request reaches the service at present. */
import { expect, it } from 'vitest';
import { createNetworkMonitor } from '../../electron/connections/network-monitor.ts';
import { offlineError } from '../../electron/engine/sending-errors.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

it('reports the failure of the last request as the error of a request that was not sent', () => {
  const network = createNetworkMonitor({
    ...{ connectionId: 'c', clock: new VirtualClock(), isOffline: false, hasService: true },
    probe: () => new Promise(() => undefined),
    probeEveryMs: () => 60_000,
    onChange: () => undefined,
    onAnswer: () => undefined,
  });
  expect(offlineError(network)).toBeNull();
  network.sawFailure(new AppError('TIMEOUT', 'No answer.', { outcome: 'unknown' }));
  expect(offlineError(network)).toMatchObject({ code: 'TIMEOUT', details: { outcome: 'unsent' } });
  network.sawAnswer();
  expect(offlineError(network)).toBeNull();
  network.stop();
});
