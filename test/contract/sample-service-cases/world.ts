/** A running sample service with the ids that requests need, and raw HTTP to it. */

import { ENDPOINTS, endpoint, type OperationId } from '../../../electron/api/endpoints.ts';
import type { Parts } from '../../../electron/api/file-part.ts';
import type { SampleServiceOptions } from '../../../electron/sample-service/start-service.ts';
import { RawService, READ_ONLY_TOKEN, TOKEN } from '../../helpers/sample-service.ts';

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
export const NO_PROJECT_TOKEN = 'test-token-without-project';

export interface Sending {
  parameters?: Record<string, string>;
  /** Query including its question mark. */
  query?: string;
  body?: unknown;
  /** The parts of a multipart body by the names in the row. Files are bytes. */
  parts?: Parts;
}

export interface Case {
  /** A request that succeeds. Creates everything that it needs, so that cases can run in any order. */
  success(world: World): Sending | Promise<Sending>;
  /** Requests that cause a declared error that no general request causes. */
  errors?: Partial<Record<number, (world: World) => Sending | Promise<Sending>>>;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; null if there is none. */
  json: unknown;
}

/** A field of the received body, by its dotted name; undefined if it is missing. */
export function field(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
      value,
    );
}

/** The received list; empty if the value is not a list. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export const rule = (name: string, value: unknown, operator = 'eq') => ({ field: name, operator, value });
export const all = (...rules: unknown[]) => ({ filter: { condition: 'AND', rules } });

/** The platform writes the body, and not the product. */
function formOf(parts: Parts): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value !== 'object') form.set(name, String(value));
    else if (value.source.kind === 'bytes')
      form.set(name, new Blob([new Uint8Array(value.source.bytes)]), value.name);
    else throw new Error(`The part ${name} is not given as bytes.`);
  }
  return form;
}

export class World {
  readonly raw: RawService;
  readonly ids: Readonly<
    Record<'project' | 'application' | 'claims' | 'churn' | 'fraud' | 'insurance' | 'dataset', string>
  >;
  #names = 0;

  constructor(raw: RawService, ids: World['ids']) {
    this.raw = raw;
    this.ids = ids;
  }

  static async start(options: SampleServiceOptions = {}): Promise<World> {
    const raw = await RawService.start({
      tokens: [
        { token: READ_ONLY_TOKEN, role: 'read-only' },
        { token: NO_PROJECT_TOKEN, role: 'no-project' },
      ],
      ...options,
    });
    return new World(raw, {
      project: await raw.idOf('projects.list', 'Customer operations'),
      application: await raw.idOf('applications.list', 'Support assistant'),
      claims: await raw.idOf('applications.list', 'Claims triage agent'),
      churn: await raw.idOf('models.list', 'Bank churn'),
      fraud: await raw.idOf('models.list', 'Card fraud'),
      insurance: await raw.idOf('models.list', 'Auto insurance value'),
      dataset: await raw.idOf('datasets.list', 'Support answers, golden set'),
    });
  }

  /** A unique name. */
  name(what: string): string {
    this.#names += 1;
    return `${what} ${this.#names}`;
  }

  async send(
    operation: OperationId,
    sending: Sending,
    token: string | null = TOKEN,
    baseUrl = this.raw.service.baseUrl,
  ): Promise<Received> {
    const { method } = ENDPOINTS[operation];
    const path = this.raw.path(operation, sending.parameters ?? {}, sending.query);
    const json = sending.body === undefined ? null : JSON.stringify(sending.body);
    const answer = await fetch(baseUrl + path, {
      method,
      body: sending.parts === undefined ? json : formOf(sending.parts),
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(json === null ? {} : { 'Content-Type': 'application/json' }),
      },
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: text === '' ? null : JSON.parse(text),
    };
  }

  /** Sends a request that must succeed, and returns the body. Throws if the request fails. */
  async done(operation: OperationId, sending: Sending): Promise<unknown> {
    const answer = await this.send(operation, sending);
    if (answer.status !== endpoint(operation).successStatus) {
      throw new Error(`${operation} answered ${answer.status}: ${answer.text}`);
    }
    return answer.json;
  }

  /** The records of a page that must exist. */
  async items(operation: OperationId, sending: Sending): Promise<unknown[]> {
    return list(field(await this.done(operation, sending), 'data.items'));
  }

  /** Creates a record and returns its id. */
  async make(
    operation: OperationId,
    body: unknown,
    parameters: Record<string, string> = {},
  ): Promise<string> {
    return String(field(await this.done(operation, { body, parameters }), 'data.id'));
  }

  stop(): Promise<void> {
    return this.raw.service.stop();
  }
}
