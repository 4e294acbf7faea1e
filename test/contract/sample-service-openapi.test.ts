/** The OpenAPI document that the sample service publishes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { RawService } from '../helpers/sample-service.ts';
import { field } from './sample-service-cases/world.ts';

let raw: RawService;
let document: unknown;
beforeAll(async () => {
  raw = await RawService.start({ isEmpty: true });
  const answer = await raw.raw('GET', '/openapi.json', { token: null });
  document = JSON.parse(answer.text);
});
afterAll(() => raw.service.stop());

describe('/openapi.json', () => {
  it('is an OpenAPI 3.1 document that requires a bearer token', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: raw.service.baseUrl }],
      security: [{ bearer: [] }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    });
  });

  it.each(OPERATION_IDS)('describes %s like its row', (id) => {
    const row = endpoint(id);
    const methods: unknown = Object(field(document, 'paths'))[row.path];
    const operation = field(methods, row.method.toLowerCase());
    expect(field(operation, 'operationId')).toBe(id);
    const responses = Object.keys(Object(field(operation, 'responses')));
    expect(responses).toEqual(expect.arrayContaining([row.successStatus, ...row.errors].map(String)));
    const hasBody = row.body !== null || row.multipart !== null;
    expect(field(operation, 'requestBody') !== undefined).toBe(hasBody);
    const parameters = field(operation, 'parameters');
    const names = (Array.isArray(parameters) ? parameters : []).map((parameter) => field(parameter, 'name'));
    for (const [, name] of row.path.matchAll(/\{(\w+)\}/g)) expect(names).toContain(name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(row.query)));
  });

  it('refers only to its own definitions', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(references.length).toBeGreaterThan(0);
    for (const target of references) {
      expect(field(document, target.replace('#/', '').replaceAll('/', '.')), target).toBeDefined();
    }
  });
});
