/** Parses the request of a client as its row in the endpoint table says: path, query, paging, body. */
import type { Endpoint } from '../api/endpoints.ts';
import { parseExact } from '../shared/exact-json.ts';
import * as z from '../shared/zod.ts';
import type { PageRequest } from './envelope.ts';
import type { HandlerRequest, UploadedPart } from './handlers/handler.ts';
import { issueMessages } from './issues.ts';
import { malformed, ServiceError } from './service-error.ts';
import type { ServiceSettings } from './settings.ts';

const uuid = z.uuid();
/** Form of a key's id (SERVICE.md F13). */
const KEY_ID = /^(?=.{12,16}$)[a-z0-9]+_[A-Za-z0-9_-]+$/;
const PAGE_PARAMETERS: readonly string[] = ['limit', 'offset'];

/** Query parameters that the operation does not know. */
export function unknownParameters(row: Endpoint, query: URLSearchParams): string[] {
  const known =
    row.paging === 'limit-offset' ? [...Object.keys(row.query), ...PAGE_PARAMETERS] : Object.keys(row.query);
  return [...new Set(query.keys())].filter((name) => !known.includes(name));
}

function integer(query: URLSearchParams, name: string, least: number): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < least) {
    throw malformed(`${name} must be an integer of at least ${least}; "${text}" was sent.`);
  }
  return value;
}

function pageRequest(query: URLSearchParams, settings: ServiceSettings): PageRequest {
  return {
    limit: Math.min(integer(query, 'limit', 1) ?? settings.defaultLimit, settings.maxLimit),
    offset: integer(query, 'offset', 0) ?? 0,
  };
}

function pageOf(
  row: Endpoint,
  query: URLSearchParams,
  body: unknown,
  settings: ServiceSettings,
): PageRequest {
  if (row.paging === 'limit-offset') return pageRequest(query, settings);
  if (row.paging === 'none') return { limit: 1, offset: 0 };
  // Safe cast: the schema of the row has checked both.
  const { page_size: size, offset } = Object(body) as { page_size?: number; offset?: number };
  return { limit: Math.min(size ?? settings.defaultLimit, settings.maxLimit), offset: offset ?? 0 };
}

function checkPath(parameters: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (name === 'key_id' ? KEY_ID.test(value) : uuid.safeParse(value).success) continue;
    throw malformed(`${name} must be ${name === 'key_id' ? 'the id of a key' : 'a uuid'}.`);
  }
}

function checkQuery(row: Endpoint, query: URLSearchParams): void {
  for (const name of row.requiredQuery) {
    if ((query.get(name) ?? '') === '') throw malformed(`The query parameter ${name} is required.`);
  }
  for (const [name, type] of Object.entries(row.query)) {
    const text = query.get(name);
    if (type === 'number' && text !== null && text !== '' && !Number.isFinite(Number(text))) {
      throw malformed(`${name} must be a number; "${text}" was sent.`);
    }
  }
}

/** The request for its handler. Throws a 400 that counts as malformed. */
export function parseRequest(
  row: Endpoint,
  parts: {
    path: Readonly<Record<string, string>>;
    query: URLSearchParams;
    body: unknown;
    multipart: MultipartBody;
    token: string;
  },
  settings: ServiceSettings,
): HandlerRequest {
  checkPath(parts.path);
  checkQuery(row, parts.query);
  const body = row.body === null ? undefined : checkBody(row.body, parts.body);
  const text = (name: string): string | null => {
    const value = parts.query.get(name);
    return value === null || value === '' ? null : value;
  };
  return {
    path: (name) => {
      const value = parts.path[name];
      if (value === undefined) throw new Error(`The path ${row.path} has no parameter ${name}.`);
      return value;
    },
    query: text,
    list: (name) =>
      (text(name) ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()])),
    part: (name) => {
      const value = parts.multipart.get(name);
      if (typeof value !== 'string') throw new Error(`${row.path} has no text part ${name}.`);
      return value;
    },
    file: (name) => {
      const value = parts.multipart.get(name);
      if (value === undefined || typeof value === 'string')
        throw new Error(`${row.path} has no file part ${name}.`);
      return value;
    },
    page: pageOf(row, parts.query, body, settings),
    token: parts.token,
    body,
  };
}

function checkBody(schema: z.ZodType, body: unknown): unknown {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = issueMessages(parsed.error).map((message) => ({
    reason: 'ValidationError',
    message,
    help: '',
  }));
  throw malformed('The body of the request is not valid.', issues);
}

/**
 * Reads the body as JSON; `isExact` keeps all digits. Throws a 413 above `maxBytes`, and a 400 if it is not JSON in
 * UTF-8.
 */
export async function readJsonBody(request: Request, maxBytes: number, isExact: boolean): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) throw malformed('The body must be sent as application/json.');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return isExact ? parseExact(text) : JSON.parse(text);
  } catch {
    throw malformed('The body of the request is not JSON in UTF-8.');
  }
}

/** Parts of a multipart/form-data body by their names. */
export type MultipartBody = ReadonlyMap<string, string | UploadedPart>;

/**
 * Reads a multipart body and checks it against its row. Throws a 413 above `maxBytes`, and a 400 if a part is missing
 * or has another kind.
 */
export async function readMultipartBody(
  request: Request,
  expected: NonNullable<Endpoint['multipart']>,
  maxBytes: number,
): Promise<MultipartBody> {
  const bytes = await readBytes(request, maxBytes);
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(type))
    throw malformed('The body must be sent as multipart/form-data.');
  const form = await formOf(bytes, type);
  const parts = new Map<string, string | UploadedPart>();
  for (const [name, kind] of Object.entries(expected)) {
    const value = form.get(name);
    if (value === null) throw malformed(`The part ${name} is missing.`);
    if ((typeof value === 'string') === (kind === 'file'))
      throw malformed(`The part ${name} must be a ${kind}.`);
    const part = typeof value === 'string' ? value : { name: value.name, bytes: await value.bytes() };
    parts.set(name, part);
  }
  return parts;
}

async function formOf(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
  } catch {
    throw malformed('The body of the request is not multipart/form-data.');
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  try {
    if (!Number.isNaN(announced)) return new Uint8Array(await request.arrayBuffer());
    return await readChunks(request, maxBytes);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The client disconnected while it was sending, so nobody reads this answer, and the request is not malformed.
    throw new ServiceError(400, 'The body of the request ended before it was complete.');
  }
}

async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(413, `The body of a request may hold at most ${maxBytes} bytes.`, {
    isMalformed: true,
  });
}
