/** The OpenAPI 3.1 document of the service, generated from the endpoint table. */
import { type Endpoint, endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import * as z from '../shared/zod.ts';
import { API_VERSION } from './envelope.ts';

type Json = Record<string, unknown>;

function schemaOf(schema: z.ZodType): Json {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return json;
}

const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } });
const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

function envelope(kind: 'NORMAL' | 'PAGINATED', data: Json): Json {
  return {
    type: 'object',
    required: ['api_version', 'kind', 'data'],
    properties: { api_version: { const: API_VERSION }, kind: { const: kind }, data },
  };
}

function answerContent(row: Endpoint): Json {
  const item = schemaOf(row.item);
  switch (row.answer) {
    case 'empty':
      return {};
    case 'array':
      return { content: jsonContent({ type: 'array', items: item }) };
    case 'record':
      return { content: jsonContent(envelope('NORMAL', item)) };
    case 'paginated': {
      const data = { allOf: [reference('Page'), { properties: { items: { type: 'array', items: item } } }] };
      return { content: jsonContent(envelope('PAGINATED', data)) };
    }
  }
}

function parametersOf(row: Endpoint): Json[] {
  const path = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  }));
  const query = Object.entries(row.query).map(([name, type]) => ({
    name,
    in: 'query',
    required: row.requiredQuery.includes(name),
    ...(type === 'list' ? { style: 'form', explode: false } : {}),
    ...(type === 'filter' ? { description: 'A filter expression as JSON text.' } : {}),
    schema:
      type === 'list'
        ? { type: 'array', items: { type: 'string' } }
        : { type: type === 'number' ? 'number' : 'string' },
  }));
  const paging =
    row.paging === 'limit-offset'
      ? [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
          { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0 } },
        ]
      : [];
  return [...path, ...query, ...paging];
}

function bodyOf(row: Endpoint): Json {
  if (row.body !== null) return { requestBody: { required: true, content: jsonContent(schemaOf(row.body)) } };
  if (row.multipart === null) return {};
  const properties = Object.fromEntries(
    Object.entries(row.multipart).map(([name, kind]) => [
      name,
      kind === 'file'
        ? { type: 'string', contentMediaType: 'application/octet-stream' }
        : { type: kind === 'number' ? 'integer' : 'string' },
    ]),
  );
  const schema = { type: 'object', required: Object.keys(properties), properties };
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
}

/** The statuses that a row declares, those for credentials, and 429 if there is a limit. */
function errorStatuses(row: Endpoint): number[] {
  const limited = row.limit === 'unlisted' ? [] : [429];
  return [...new Set([...row.errors, 401, ...limited])].toSorted((a, b) => a - b);
}

function operationOf(id: OperationId): Json {
  const row = endpoint(id);
  const error = { description: 'An error.', content: jsonContent(reference('Error')) };
  return {
    operationId: id,
    summary: row.title,
    description: row.help,
    tags: [id.split('.')[0]],
    parameters: parametersOf(row),
    ...bodyOf(row),
    responses: {
      [row.successStatus]: { description: row.title, ...answerContent(row) },
      ...Object.fromEntries(errorStatuses(row).map((status) => [status, error])),
    },
  };
}

const PAGE: Json = {
  type: 'object',
  required: ['items', 'item_count', 'total', 'page_size', 'page_count', 'page_index', 'offset'],
  properties: {
    items: { type: 'array' },
    ...Object.fromEntries(
      ['item_count', 'total', 'page_size', 'page_count', 'page_index', 'offset'].map((name) => [
        name,
        { type: 'integer' },
      ]),
    ),
  },
};

const texts = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }]));

const ERROR: Json = {
  type: 'object',
  required: ['api_version', 'kind', 'error'],
  properties: {
    api_version: { const: API_VERSION },
    kind: { const: 'ERROR' },
    error: {
      type: 'object',
      required: ['code', 'message', 'errors'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['reason', 'message', 'help'],
            properties: texts('reason', 'message', 'help'),
          },
        },
      },
    },
  },
};

/** The document; `serverUrl` is the address of the service. */
export function openApiDocument(serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const id of OPERATION_IDS) {
    const { path, method } = endpoint(id);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(id) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Monitoring and evaluation service (sample)',
      version: '2.0',
      description: 'Interface version 3.0 as the sample service implements it.',
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Page: PAGE, Error: ERROR },
    },
  };
}
