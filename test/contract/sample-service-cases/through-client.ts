/** Another driver of the cases: the client of the product, typed by operation. There is one client for each token. */
import { endpoint, type OperationId } from '../../../electron/api/endpoints.ts';
import { operationText } from '../../../electron/api/request-target.ts';
import type { Answer, CallInput, Page } from '../../../electron/api/types.ts';
import type { LoggedRequest } from '../../../electron/db/request-log-store.ts';
import { type ClientRig, type ClientRigOptions, openClient } from '../../helpers/client-rig.ts';
import { TOKEN } from '../../helpers/sample-service.ts';
import type { Sending, World } from './world.ts';

export class ThroughClient {
  readonly #world: World;
  readonly #options: Partial<ClientRigOptions>;
  readonly #rigs = new Map<string, ClientRig>();

  constructor(world: World, options: Partial<ClientRigOptions> = {}) {
    this.#world = world;
    this.#options = options;
  }

  rig(token = TOKEN): ClientRig {
    const { baseUrl } = this.#world.raw.service;
    const rig = this.#rigs.get(token) ?? openClient({ baseUrl, token, ...this.#options });
    this.#rigs.set(token, rig);
    // After a token was rejected, the client stops until a caller resumes it.
    rig.scheduler.resume('unauthorized');
    return rig;
  }

  /**
   * Sends by `list` if the operation lists records, otherwise by `call`. A malformed body bypasses the validation of
   * the client.
   */
  send(
    operation: OperationId,
    sending: Sending,
    { token = TOKEN, isMalformed = false }: { token?: string; isMalformed?: boolean } = {},
  ): Promise<Answer<unknown>> {
    const { client } = this.rig(token);
    const input = inputOf(sending, isMalformed);
    const options = { priority: 'click' as const };
    if (endpoint(operation).answer === 'paginated') return client.list(operation, input, options);
    return client.call(operation, input, options);
  }

  /** Every request that was sent, with its outcome. */
  log(): LoggedRequest[] {
    return [...this.#rigs.values()].flatMap(({ log }) => log);
  }

  /** The statuses with which the operation was answered. */
  statuses(operation: OperationId): Set<number | null> {
    const text = operationText(endpoint(operation));
    return new Set(
      this.log().flatMap((row) =>
        row.operation === text ? [row.status, ...row.tries.map(({ status }) => status)] : [],
      ),
    );
  }

  async stop(): Promise<void> {
    for (const rig of this.#rigs.values()) await rig[Symbol.asyncDispose]();
  }
}

function inputOf({ parameters, query, body, parts }: Sending, isMalformed: boolean): CallInput {
  return {
    ...(parameters === undefined ? {} : { path: parameters }),
    ...(query === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(body === undefined ? {} : isMalformed ? { bodyText: JSON.stringify(body) } : { body }),
    ...(parts === undefined ? {} : { parts }),
  };
}

export function isPage(value: unknown): value is Page<unknown> {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}
