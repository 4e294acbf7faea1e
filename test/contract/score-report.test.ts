/** Reports about compared score runs: each text is masked according to the field that it comes from. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MASKED } from '../../electron/core/masking/redact.ts';
import { choose, fieldsOf } from '../../electron/core/report/choose.ts';
import type { ReportParts } from '../../electron/engine/report-columns.ts';
import { scoreSource } from '../../electron/engine/report-of-datasets.ts';
import { whole } from '../../electron/shared/pieces.ts';
import type { ScorePlan } from '../../electron/shared/score-model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { relevancePlan } from '../helpers/score-plan.ts';

const cleanUp = cleanUpAfterEach();
const LONG = `My policy number is 4711-0815-99; ${'please tell me which papers are missing. '.repeat(10)}`;
const QUESTION = 'inputs.question';
const ANSWER = 'expected_outputs.answer';

async function open() {
  const raw = await RawService.start();
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN });
  cleanUp(async () => {
    await rig[Symbol.asyncDispose]();
    await raw.service.stop();
  });
  const { items, plan } = await relevancePlan(raw);
  const { scores } = rig.datasets;
  const run = async (path: string, most: number) => {
    const [bucket, field = ''] = path.split('.');
    const from = {
      kind: 'field',
      bucket: bucket === 'inputs' ? 'inputs' : 'expected_outputs',
      field,
    } as const;
    const check = { kind: 'length', unit: 'words', least: null, most } as const;
    const own: ScorePlan = {
      ...plan,
      evaluator: 'check',
      check,
      parameters: {},
      inputs: [{ input: 'text', from }],
    };
    return (await scores.whenIdle(scores.start(own).runId)).runId;
  };
  // The function reads only the datasets of the session.
  const parts = { session: { datasets: rig.datasets } } as unknown as ReportParts;
  const source = (before: string, after: string) =>
    scoreSource(parts, { kind: 'scores', before, after, name: null, lowerIsBetter: false });
  const shown = async (before: string, after: string, masked: string[], privateFields: string[] = []) => {
    const options = { fields: ['title', 'judged'], masked };
    const { tables } = whole(choose(await source(before, after), options, privateFields));
    return new Map(tables[0]?.columns.map(({ name, values }) => [name, new Set(values)]));
  };
  return { rig, items, run, source, shown };
}

test.each([
  [QUESTION, ANSWER],
  [ANSWER, QUESTION],
])('a report of runs that judge %s and %s masks each of them by its own name', async (one, other) => {
  const { run, source, shown } = await open();
  const [before, after] = [await run(one, 9), await run(other, 5)];
  for (const hidden of [await shown(before, after, [one]), await shown(before, after, [], [one])])
    expect(hidden.get('title')).toEqual(new Set([MASKED]));
  const title = (await shown(before, after, [other])).get('title');
  expect(title).not.toContain(MASKED);
  expect(title?.size).toBeGreaterThan(10);
  const fields = fieldsOf(await source(before, after), [one]);
  expect(fields.find(({ name }) => name === 'title')).toMatchObject({ isPrivate: true });
});

test('a long text that was judged alone is in one column, and is masked there', async () => {
  const { rig, run, shown } = await open();
  const [before, after] = [await run(QUESTION, 9), await run(QUESTION, 5)];
  const db = new BetterSqlite(rig.path('datasets.db'));
  db.prepare('UPDATE score_item SET inputs_json = ?').run(JSON.stringify({ text: LONG }));
  db.close();
  const clear = await shown(before, after, []);
  expect([...(clear.get('title') ?? [])].join()).toContain('4711-0815-99');
  expect(clear.get('judged')).toEqual(new Set([null]));
  for (const hidden of [await shown(before, after, [QUESTION]), await shown(before, after, [], [QUESTION])])
    expect([...hidden.values()].flatMap((values) => [...values]).join()).not.toContain('4711');
});

test('an item that only the earlier run has is masked by the field which that run judged', async () => {
  const { rig, run, source, shown } = await open();
  const [before, after] = [await run(QUESTION, 9), await run(ANSWER, 5)];
  const db = new BetterSqlite(rig.path('datasets.db'));
  db.prepare('UPDATE score_item SET inputs_json = NULL WHERE run_id = ? AND position < 3').run(before);
  db.prepare('DELETE FROM score_item WHERE run_id = ? AND position >= 3 AND position < 6').run(after);
  db.prepare("UPDATE job SET revision = revision + 1 WHERE kind = 'score'").run();
  db.close();
  const columns = (await source(before, after)).tables[0]?.columns ?? [];
  const paths = columns.find(({ name }) => name === 'title')?.paths ?? [];
  expect(paths.filter((path) => path === ANSWER)).toHaveLength(3);
  const answers = (await shown(before, after, [QUESTION])).get('title');
  expect([...(answers ?? [])].filter((text) => text !== MASKED)).toHaveLength(3);
});
