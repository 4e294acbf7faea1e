/**
 * Random requests. Half of them follow the schemas of the table, and the others are hostile. Every request is answered
 * with an envelope, and none with 500. FUZZ_REQUESTS sets their number, FUZZ_SEED the seed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS, type Endpoint, endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { SeededRandom } from '../../electron/sample-service/generate/seeded-random.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { type JsonSchema, randomJson, randomText, valueAfter } from './sample-service-cases/random-values.ts';
import { field, NO_PROJECT_TOKEN, UNKNOWN_ID, World } from './sample-service-cases/world.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 800);
const SEED = Number(process.env['FUZZ_SEED'] ?? 41);
/** Minimum number of requests, even on a slow machine. They include every status that is expected below. */
const LEAST = 200;
const MAX_MS = Number(process.env['FUZZ_MAX_MS'] ?? (REQUESTS > 800 ? 600_000 : 12_000));

const crashes: unknown[] = [];
let world: World;
beforeAll(async () => {
  world = await World.start({
    logCrash: (error) => crashes.push(error),
    settings: { jobPendingMs: 0, jobRunMs: 0 },
  });
});
afterAll(() => world.stop());

const SCHEMAS = new Map<string, JsonSchema>(
  OPERATION_IDS.flatMap((id) => {
    const { body } = endpoint(id);
    return body === null
      ? []
      : [[id, z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as JsonSchema] as const];
  }),
);

/** The sources of the ids for each path parameter. */
const SOURCES = {
  application_id: 'applications.list',
  model_id: 'models.list',
  dataset_id: 'datasets.list',
  alert_id: 'alert-rules.list',
  baseline_id: 'baselines.list',
  uuid: 'custom-metrics.list',
  segment_id: 'segments.list',
  env_id: 'environments.list',
  job_id: 'jobs.list',
  key_id: 'access-keys.list',
} as const;
type Pool = [string, ...string[]];

/** Known ids by path parameter, so that requests pass the first check. */
let pools = new Map<string, Pool>();
let everyId: Pool = [UNKNOWN_ID];

async function refreshPools(): Promise<void> {
  const found = await Promise.all(
    Object.entries(SOURCES).map(async ([name, operation]) => {
      const items = field(await world.done(operation, { query: '?limit=40' }), 'data.items');
      const ids = (Array.isArray(items) ? items : [])
        // Without the key of this token, as a deletion would end the token.
        .filter((item) => field(item, 'name') !== 'Workbench')
        .map((item) => String(field(item, 'id') ?? field(item, 'key_id')));
      return [name, [UNKNOWN_ID, ...ids]] satisfies [string, Pool];
    }),
  );
  pools = new Map(found);
  const projects = Object.values(world.ids);
  everyId = [UNKNOWN_ID, ...projects, ...[...pools.values()].flatMap((ids) => ids.slice(0, 4))];
}

function pathOf(random: SeededRandom, row: Endpoint): string {
  // A record that was deleted cannot be requested afterwards, so deletions mostly name missing records.
  const knownShare = row.method === 'DELETE' ? 0.1 : 0.85;
  return row.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    if (random.chance(knownShare)) return random.pick(pools.get(name) ?? everyId);
    return random.chance(0.5) ? random.pick(everyId) : encodeURIComponent(randomText(random).toWellFormed());
  });
}

const WORDS: readonly [string, ...string[]] = [
  'name',
  '-created_at',
  '2025-01-01T00:00:00Z',
  '2030-01-01',
  '0',
  '5',
  '-1',
  '1e999',
  '99999999999999999999',
  'attribute',
  'PRODUCTION',
  '{"condition":"AND","rules":[]}',
  '{"condition":"OR","rules":[{"field":"name","operator":"contains","value":"a"}]}',
  '{"condition":"AND","rules":[{"field":"__proto__","operator":"between","value":[1,2]}]}',
];

function queryOf(random: SeededRandom, row: Endpoint): string {
  const names = [...Object.keys(row.query), 'limit', 'offset', 'limit', 'unknown'];
  const pairs = names
    .filter((name) => row.requiredQuery.includes(name) || random.chance(0.4))
    .map((name) => {
      const value = random.chance(0.7) ? random.pick(WORDS) : randomText(random);
      return `${name}=${random.chance(0.97) ? encodeURIComponent(value.toWellFormed()) : '%zz'}`;
    });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function bodyOf(random: SeededRandom, id: string): { text: string | null; type: string } {
  const type = random.chance(0.95)
    ? 'application/json'
    : random.pick(['text/plain', 'multipart/form-data', '']);
  const schema = SCHEMAS.get(id);
  const dice = random.next();
  if (dice < 0.05) return { text: randomText(random), type };
  if (dice < 0.15) return { text: JSON.stringify(randomJson(random, 4)), type };
  if (schema === undefined) return { text: null, type: '' };
  const wildness = dice < 0.6 ? 0 : 0.15;
  return {
    text: JSON.stringify(valueAfter(random, schema, { wildness, identifiers: everyId, depth: 0 })),
    type,
  };
}

interface Sent {
  description: string;
  status: number;
  text: string;
}

async function sendRandom(random: SeededRandom): Promise<Sent> {
  const id = random.pick(OPERATION_IDS as [(typeof OPERATION_IDS)[number], ...typeof OPERATION_IDS]);
  const row: Endpoint = ENDPOINTS[id];
  const method = random.chance(0.97) ? row.method : random.pick(['PUT', 'POST', 'DELETE', 'OPTIONS']);
  const path = pathOf(random, row) + queryOf(random, row);
  const { text, type } = method === 'GET' ? { text: null, type: '' } : bodyOf(random, id);
  const token = random.chance(0.96) ? TOKEN : random.pick([NO_PROJECT_TOKEN, 'stranger', '\u00e9']);
  const answer = await fetch(world.raw.service.baseUrl + path, {
    method,
    body: text,
    redirect: 'manual',
    headers: { Authorization: `Bearer ${token}`, ...(type === '' ? {} : { 'Content-Type': type }) },
  });
  return { description: `${method} ${path} ${text ?? ''}`, status: answer.status, text: await answer.text() };
}

const envelope = z.union([
  z.looseObject({
    api_version: z.literal('3.0'),
    kind: z.enum(['NORMAL', 'PAGINATED']),
    data: z.looseObject({}),
  }),
  z.looseObject({
    api_version: z.literal('3.0'),
    kind: z.literal('ERROR'),
    error: z.looseObject({ code: z.int() }),
  }),
  z.array(z.string()),
]);

function check({ description, status, text }: Sent, place: string): void {
  const what = `${place}: ${description.slice(0, 2_000)} → ${status} ${text.slice(0, 500)}`;
  expect(status, what).toBeLessThan(500);
  if (status === 204) {
    expect(text, what).toBe('');
    return;
  }
  const parsed = envelope.safeParse(JSON.parse(text));
  expect(parsed.success, what).toBe(true);
  if (status < 400 || !parsed.success || Array.isArray(parsed.data)) return;
  expect(parsed.data.kind, what).toBe('ERROR');
  expect('error' in parsed.data && typeof parsed.data.error === 'object', what).toBe(true);
  expect(JSON.parse(text), what).toMatchObject({ error: { code: status } });
}

it(
  `answers ${REQUESTS} random requests in the envelope, without a crash`,
  async () => {
    const statuses = new Map<number, number>();
    const startMs = performance.now();
    let count = 0;
    const isTimeLeft = () => count < LEAST || performance.now() - startMs < MAX_MS;
    for (; count < REQUESTS && isTimeLeft(); count += 1) {
      // There is a generator for each request, so that a failed request can be repeated alone.
      if (count % 250 === 0) await refreshPools();
      const sent = await sendRandom(new SeededRandom(SEED * 1_000_003 + count));
      statuses.set(sent.status, (statuses.get(sent.status) ?? 0) + 1);
      check(sent, `seed ${SEED}, request ${count}`);
      expect(crashes).toEqual([]);
    }
    // If a number was requested it must be reached; by default the test stops when its time is over.
    if (process.env['FUZZ_REQUESTS'] !== undefined) expect(count).toBe(REQUESTS);
    // The requests have the intended effects: some succeed, and some are rejected in each way.
    for (const status of [200, 400, 401, 404])
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(0);
    expect((await world.send('server-info.get', {})).status).toBe(200);
  },
  MAX_MS + 600_000,
);
