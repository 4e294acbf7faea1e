import { describe, expect, test } from 'vitest';
import { endpoint } from '../../electron/api/endpoints.ts';
import { routeOfPath } from '../../electron/api/lane-of.ts';
import { buildTarget, checkTypedPath } from '../../electron/api/request-target.ts';

const refused = expect.objectContaining({
  code: 'INVALID_ARGUMENT',
  details: expect.objectContaining({ outcome: 'unsent' }),
});

describe('a path of the endpoint table', () => {
  test('has encoded parameters, one segment each', () => {
    const target = buildTarget(endpoint('applications.get'), { path: { application_id: 'a/b?c#d é%' } });
    expect(target).toBe('/v3/applications/a%2Fb%3Fc%23d%20%C3%A9%25');
  });

  test.each(['', '.', '..', 'a\nb', 'a\0', '\ud800'])('refuses the identifier %j', (id) => {
    expect(() => buildTarget(endpoint('applications.get'), { path: { application_id: id } })).toThrow(
      refused,
    );
  });

  test('rejects missing required values', () => {
    expect(() => buildTarget(endpoint('applications.get'), {})).toThrow(/application_id is missing/);
    const values = endpoint('catalog.values');
    expect(() => buildTarget(values, { path: { application_id: 'a' }, query: { name: 'x' } })).toThrow(
      /entity_type is missing/,
    );
  });

  test('separates the values of a list with commas, from a list or from one text', () => {
    const catalog = endpoint('catalog.list');
    const path = { application_id: 'a' };
    const expected = '/v3/applications/a/catalog?data_type=numeric,string%20x&limit=5';
    expect(buildTarget(catalog, { path, query: { data_type: ['numeric', 'string x'], limit: 5 } })).toBe(
      expected,
    );
    expect(buildTarget(catalog, { path, query: { data_type: 'numeric,string x', limit: 5 } })).toBe(expected);
    expect(buildTarget(catalog, { path, query: { search: 'a,b&c=d' } })).toContain('search=a%2Cb%26c%3Dd');
    expect(() => buildTarget(catalog, { path, query: { data_type: ['a,b'] } })).toThrow(/holds a comma/);
  });
});

describe('a typed path', () => {
  test('is validated segment by segment and encoded again', () => {
    expect(checkTypedPath('/v3/applications/a%2Fb/catalog', { search: 'x y' })).toBe(
      '/v3/applications/a%2Fb/catalog?search=x%20y',
    );
    expect(checkTypedPath('/v3/applications/', {})).toBe('/v3/applications');
  });

  test.each([
    '/v2/applications',
    'v3/applications',
    '/v3',
    'https://elsewhere.example/v3/applications',
    '/v3/../admin',
    '/v3/%2e%2e/admin',
    '/v3//applications',
    '/v3/applications?limit=1',
    '/v3/a#b',
    '/v3/a\\b',
    '/v3/%zz',
    '/v3/a%0ab',
  ])('%s is rejected', (path) => {
    expect(() => checkTypedPath(path, {})).toThrow(refused);
  });
});

describe('the lane of a typed path', () => {
  test.each([
    ['GET', '/v3/applications', 'GET /v3/applications', 'metadata-read'],
    ['GET', '/v3/applications/123', 'GET /v3/applications/{application_id}', 'metadata-read'],
    ['POST', '/v3/events', 'POST /v3/events', 'unlisted'],
    ['DELETE', '/v3/events', 'DELETE /v3/events', 'event-deletion'],
    ['POST', '/v3/spans/query', 'POST /v3/spans/query', 'spans-query'],
    ['DELETE', '/v3/traces', 'DELETE /v3/traces', 'genai-deletion'],
    ['DELETE', '/v3/applications/123', 'DELETE /v3/applications/{application_id}', 'metadata-write'],
    ['GET', '/v3/models/5f0c/segments', 'GET /v3/models/{id}/segments', 'metadata-read'],
    ['GET', '/v3/alert-rules/summary', 'GET /v3/alert-rules/summary', 'metadata-read'],
  ] as const)('%s %s uses %s', (method, path, operation, category) => {
    expect(routeOfPath(method, path)).toMatchObject({ operation, category });
  });

  test('reads are safe on a read-only connection, queries with a body included; the rest writes', () => {
    expect(routeOfPath('POST', '/v3/spans/query').isWrite).toBe(false);
    expect(routeOfPath('GET', '/v3/anything').isWrite).toBe(false);
    expect(routeOfPath('POST', '/v3/evals/score').isWrite).toBe(false);
    expect(routeOfPath('POST', '/v3/anything').isWrite).toBe(true);
    expect(routeOfPath('PATCH', '/v3/events').isWrite).toBe(true);
  });
});
