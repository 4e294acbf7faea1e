/** Every operation of the table by raw HTTP: its success, and every declared error. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { HANDLERS } from '../../electron/sample-service/handlers/index.ts';
import { RawService, READ_ONLY_TOKEN } from '../helpers/sample-service.ts';
import { issuesOf, parametersOf, provocation } from './sample-service-cases/provocations.ts';
import { field, NO_PROJECT_TOKEN, type Received, UNKNOWN_ID, World } from './sample-service-cases/world.ts';
import { CASES } from './sample-service-cases.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

function expectEnvelopeOf(row: Endpoint, answer: Received): void {
  if (row.answer === 'empty') {
    expect(answer.text).toBe('');
    return;
  }
  expect(answer.headers.get('content-type')).toContain('application/json');
  const items =
    row.answer === 'array'
      ? answer.json
      : row.answer === 'paginated'
        ? field(answer.json, 'data.items')
        : null;
  if (row.answer !== 'array') {
    expect(answer.json).toMatchObject({
      api_version: '3.0',
      kind: row.answer === 'paginated' ? 'PAGINATED' : 'NORMAL',
    });
  }
  if (items === null) {
    expect(row.item.safeParse(field(answer.json, 'data')).error).toBeUndefined();
    return;
  }
  expect(items).toBeInstanceOf(Array);
  for (const item of Array.isArray(items) ? items : []) {
    expect(row.item.safeParse(item).error).toBeUndefined();
    if (row.identity !== null) expect(item).toHaveProperty([row.identity]);
  }
}

function expectError(answer: Received, status: number): void {
  expect(answer.json).toMatchObject({
    api_version: '3.0',
    kind: 'ERROR',
    error: { code: status, message: expect.any(String), errors: issuesOf(status) },
  });
  expect(answer.status).toBe(status);
}

describe('the table of operations', () => {
  it('has a handler and a case for each row, and no others', () => {
    expect(Object.keys(HANDLERS).toSorted()).toEqual([...OPERATION_IDS].toSorted());
    expect(Object.keys(CASES).toSorted()).toEqual([...OPERATION_IDS].toSorted());
  });

  it('declares 500 everywhere, and 429 only if a limit can be exceeded', () => {
    for (const operation of OPERATION_IDS) {
      const { errors, limit } = endpoint(operation);
      expect(errors, operation).toContain(500);
      if (errors.includes(429)) expect(limit, operation).not.toBe('unlisted');
    }
  });
});

describe.each(OPERATION_IDS)('%s', (operation) => {
  const row = endpoint(operation);

  it('returns its success with the fields that its row promises', async () => {
    const answer = await world.send(operation, await CASES[operation].success(world));
    expect(answer.status, answer.text).toBe(row.successStatus);
    expectEnvelopeOf(row, answer);
  });

  it.each(row.errors.filter((status) => status !== 429))('answers %i', async (status) => {
    const { sending, token } = await provocation(world, operation, status);
    expectError(await world.send(operation, sending, token), status);
  });

  it('rejects a missing token, an unknown token, and another scheme', async () => {
    const sending = { parameters: parametersOf(row, UNKNOWN_ID) };
    expectError(await world.send(operation, sending, null), 401);
    expectError(await world.send(operation, sending, 'stranger'), 401);
    const path = world.raw.path(operation, sending.parameters);
    const other = await world.raw.call(row.method, path, {
      token: null,
      headers: { Authorization: 'Basic dTpw' },
    });
    expect(other.status).toBe(401);
  });

  if (row.path.includes('{')) {
    it('answers an unknown and a wrong id with a status that it declares', async () => {
      const success = await CASES[operation].success(world);
      for (const value of [UNKNOWN_ID, 'not-a-uuid']) {
        const answer = await world.send(operation, { ...success, parameters: parametersOf(row, value) });
        expect(row.errors).toContain(answer.status);
        expect([400, 404]).toContain(answer.status);
        expectError(answer, answer.status);
      }
    });
  }

  it(`${row.isWrite ? 'refuses' : 'serves'} a token that may read only`, async () => {
    const answer = await world.send(operation, await CASES[operation].success(world), READ_ONLY_TOKEN);
    if (row.isWrite) expectError(answer, 403);
    else expect(answer.status, answer.text).toBe(row.successStatus);
  });
});

describe('limits of operations', () => {
  const LIMITED = OPERATION_IDS.filter((operation) => endpoint(operation).limit !== 'unlisted');
  const once = [{ count: 1, lengthMs: 3_600_000 }];
  const categories = Object.fromEntries(LIMITED.map((operation) => [endpoint(operation).limit, once]));

  it('answer 429 with Retry-After past the limit of each operation, which has a counter of its own', async () => {
    const limited = await RawService.start({ limits: { categories }, isEmpty: true });
    try {
      for (const operation of LIMITED) {
        const row = endpoint(operation);
        const path = limited.path(operation, parametersOf(row, UNKNOWN_ID));
        const first = await limited.raw(row.method, path);
        expect(first.status, operation).not.toBe(429);
        expect(first.headers.get('x-ratelimit-limit')).toBe('1 per 1 hour');
        expect(first.headers.get('x-ratelimit-remaining')).toBe('0');
        expect(first.headers.get('retry-after')).toBeNull();
        const second = await limited.call(row.method, path);
        expect(second.status, operation).toBe(429);
        expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await limited.service.stop();
    }
  });
});

describe('a token without a project', () => {
  it('sees no record in any list, and the service itself', async () => {
    const lists = OPERATION_IDS.filter((operation) => {
      const { answer, path, method } = endpoint(operation);
      return answer === 'paginated' && method === 'GET' && !path.includes('{');
    });
    for (const operation of lists) {
      const answer = await world.send(operation, await CASES[operation].success(world), NO_PROJECT_TOKEN);
      expect(answer.status, operation).toBe(200);
      expect(field(answer.json, 'data.total'), operation).toBe(0);
    }
    expect((await world.send('server-info.get', {}, NO_PROJECT_TOKEN)).status).toBe(200);
  });
});
