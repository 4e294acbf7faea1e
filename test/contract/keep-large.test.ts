/**
 * A large application that is kept offline: the job is killed three times, and then without the service every row is as
 * the service returned it. `npm run soak` uses 100,000 entities.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { ENTITY_TYPES } from '../../electron/shared/catalog-entity.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { type Script, ScriptedServer, sendJson, sendPage } from '../helpers/scripted-server.ts';

const ENTITIES = Number(process.env['KEPT_ENTITIES'] ?? 6_000);
const PAGE_ROWS = 1_000;
const SECONDS = 1_000;

type Entity = Readonly<Record<string, string | number>>;

/** Names of different lengths in several scripts, like those of attributes. */
const ALL: readonly Entity[] = Array.from({ length: ENTITIES }, (_, at) => ({
  name: `${['app.request', 'gen_ai.usage', 'Заказ.сумма', '注文.返金'][at % 4] ?? ''}.${(at * 7_919) % ENTITIES}_${at}`,
  entity_type: ENTITY_TYPES[at % ENTITY_TYPES.length] ?? '',
  semantic_name: at % 3 === 0 ? 'input_tokens' : 'UNKNOWN',
  data_type: at % 2 === 0 ? 'numeric' : 'string',
  first_seen: '2026-01-01T00:00:00Z',
  last_seen: '2026-02-01T00:00:00Z',
  row_count: (at * 31) % 10_007,
}));

/** The answer that SERVICE.md S4.5 defines. */
function answerOf(asked: URLSearchParams): readonly Entity[] {
  const search = (asked.get('search') ?? '').toLowerCase();
  const isOf = (field: string, entity: Entity) => {
    const wanted = asked.get(field);
    return wanted === null || wanted.split(',').includes(String(entity[field]));
  };
  return ALL.filter(
    (entity) =>
      ['entity_type', 'semantic_name', 'data_type'].every((field) => isOf(field, entity)) &&
      String(entity['name']).toLowerCase().includes(search),
  );
}

const answers: Script = (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  if (pathname.endsWith('/catalog')) return sendPage(response, answerOf(searchParams), request);
  if (pathname.endsWith('/metrics') || /applications\/[^/]+$/.test(pathname)) {
    const data = { id: 'a', name: 'A', metrics: [] };
    return sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data });
  }
  return sendPage(response, [], request);
};

const catalog = (query: Record<string, string> = {}): ListQuery => ({
  operation: 'catalog.list',
  path: { application_id: 'a' },
  query,
});

/** Compares every row, but does not list a hundred thousand differences if the test fails. */
const digest = (rows: readonly unknown[]) =>
  `${rows.length} ${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`;

const within = (guess: number, truth: number) => Math.abs(guess - truth) / truth;

test(
  'the cost is predicted within a tenth; after three kills the copy is complete, and is read as the service answered',
  async () => {
    await using server = await ScriptedServer.start(answers);
    using folder = new DataFolder();
    const lives = new Lives('keep-child.ts');
    const open = (blockingError: () => AppError | null) => {
      const rig = new KeepRig({ baseUrl: server.baseUrl, token: 't', folder, blockingError });
      rig.library.settings.pageRows = PAGE_ROWS;
      return rig;
    };
    const plan = planFor({ kind: 'application', id: 'a' });
    const before = open(() => null);
    const estimate = await before.keep.estimate(plan);
    await before.keep.stop();
    // Started while offline. The first process reads the first page.
    const away = open(() => new AppError('OFFLINE', 'Not yet.', { outcome: 'unsent' }));
    const { keptId } = away.keep.start(plan, null);
    await away.keep.stop();
    const args = {
      ...{ url: server.baseUrl, token: 't', folder: folder.path, kept: keptId },
      'page-rows': String(PAGE_ROWS),
    };
    try {
      const next = seededNumbers(815);
      for (let kill = 0; kill < 3; kill += 1) await lives.live(args, 3 + Math.floor(next() * 5));
      expect(await lives.live(args, null)).toBe('ended done');
    } finally {
      lives.killAll();
    }
    await server.stop();

    const after = open(() => null);
    try {
      const { counts } = after.keep.get(keptId);
      expect(counts).toMatchObject({ failed: 0, read: estimate.questions });
      expect(within(estimate.sizeBytes, counts.sizeBytes)).toBeLessThan(0.1);
      expect(within(estimate.rows, counts.rows)).toBeLessThan(0.1);
      expect(after.keep.planDrop(keptId).goes).toBe(estimate.questions);
      const asked: Record<string, string>[] = [
        {},
        ...ENTITY_TYPES.map((entity_type) => ({ entity_type })),
        { search: 'usage' },
        { search: 'ЗАКАЗ' },
        { search: '返金' },
        { search: '_77' },
        { search: 'nothing has this' },
        { semantic_name: 'UNKNOWN' },
        { data_type: 'numeric', semantic_name: 'input_tokens', search: 'app' },
      ];
      for (const query of asked) {
        const rows = await after.stored(catalog(query));
        expect(`${JSON.stringify(query)} ${digest(rows)}`).toBe(
          `${JSON.stringify(query)} ${digest(answerOf(new URLSearchParams(query)))}`,
        );
      }
      expect(await after.keep.test(null)).toMatchObject({ gapCount: 0 });
    } finally {
      for (const rig of [before, away, after]) await rig[Symbol.asyncDispose]();
    }
  },
  600 * SECONDS,
);
