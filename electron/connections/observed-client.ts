import type { ServiceClient } from '../api/types.ts';
import { toAppError } from '../shared/errors.ts';
import type { NetworkMonitor } from './network-monitor.ts';

/** The same client, with the network monitor told how each call ended. */
export function observeClient(client: ServiceClient, monitor: NetworkMonitor): ServiceClient {
  const watch = async <T>(call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      monitor.sawAnswer();
      return answer;
    } catch (thrown) {
      monitor.sawFailure(toAppError(thrown));
      throw thrown;
    }
  };
  return {
    list: (operation, input, options) => watch(client.list(operation, input, options)),
    call: (operation, input, options) => watch(client.call(operation, input, options)),
    request: (request, options) => watch(client.request(request, options)),
  };
}
