import { z } from 'zod';
import { ENDPOINTS, type OperationId } from '../../electron/api/endpoints.ts';
import {
  type SampleService,
  type SampleServiceOptions,
  startSampleService,
} from '../../electron/sample-service/start-service.ts';
import { STILL_TRAFFIC, WORKSPACES } from './workspaces.ts';

export const TOKEN = 'test-token-read-write';
export const READ_ONLY_TOKEN = 'test-token-read-only';

const envelope = z.strictObject({
  api_version: z.literal('3.0'),
  kind: z.enum(['NORMAL', 'PAGINATED', 'ERROR']),
  data: z.looseObject({}).optional(),
  error: z
    .strictObject({
      code: z.int(),
      message: z.string().min(1),
      errors: z.array(z.strictObject({ reason: z.string(), message: z.string(), help: z.string() })).min(1),
    })
    .optional(),
});
export type Envelope = z.infer<typeof envelope>;

const page = z.strictObject({
  items: z.array(z.looseObject({})),
  item_count: z.int(),
  total: z.int(),
  page_size: z.int(),
  page_count: z.int(),
  page_index: z.int(),
  offset: z.int(),
});
export type Page = z.infer<typeof page>;

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A sample service that is called by plain fetch, without the product's client. */
export class RawService {
  readonly service: SampleService;

  constructor(service: SampleService) {
    this.service = service;
  }

  static async start(options: SampleServiceOptions = {}): Promise<RawService> {
    const service = await startSampleService({
      token: TOKEN,
      tokens: [{ token: READ_ONLY_TOKEN, role: 'read-only' }],
      limits: 'off',
      imageFolder: WORKSPACES,
      ...options,
      settings: { ...(options.clock === undefined ? STILL_TRAFFIC : {}), ...options.settings },
    });
    return new RawService(service);
  }

  async raw(
    method: string,
    path: string,
    options: { body?: unknown; text?: string; token?: string | null; headers?: Record<string, string> } = {},
  ): Promise<RawAnswer> {
    const token = options.token === undefined ? TOKEN : options.token;
    const body = options.text ?? (options.body === undefined ? null : JSON.stringify(options.body));
    const answer = await fetch(this.service.baseUrl + path, {
      method,
      body,
      redirect: 'manual',
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Sends a request, and checks that the answer is an envelope with the same status. */
  async call(
    method: string,
    path: string,
    options: Parameters<RawService['raw']>[2] = {},
  ): Promise<RawAnswer & { envelope: Envelope }> {
    const answer = await this.raw(method, path, options);
    const parsed = envelope.parse(JSON.parse(answer.text));
    const isError = answer.status >= 400;
    if (isError !== (parsed.kind === 'ERROR') || isError !== (parsed.error !== undefined)) {
      throw new Error(`Status ${answer.status} came with kind ${parsed.kind}.`);
    }
    if (isError && parsed.error?.code !== answer.status) {
      throw new Error(`Status ${answer.status} came with code ${parsed.error?.code}.`);
    }
    return { ...answer, envelope: parsed };
  }

  async page(path: string): Promise<Page> {
    const answer = await this.call('GET', path);
    if (answer.envelope.kind !== 'PAGINATED')
      throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return page.parse(answer.envelope.data);
  }

  /** Path of an operation with its parameters. */
  path(operation: OperationId, parameters: Record<string, string> = {}, query = ''): string {
    const filled = ENDPOINTS[operation].path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      const value = parameters[name];
      if (value === undefined) throw new Error(`${operation} needs ${name}.`);
      return encodeURIComponent(value);
    });
    return filled + query;
  }

  /** The id of a record of a list, found by its name. */
  async idOf(operation: OperationId, name: string): Promise<string> {
    const { items } = await this.page(this.path(operation, {}, '?limit=1000'));
    const found = items.find((item) => item['name'] === name);
    return z.string().parse(found?.['id']);
  }
}
