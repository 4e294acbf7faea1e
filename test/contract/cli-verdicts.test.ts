/**
 * Reviews are exchanged with others: spans for a second person, and verdicts as results of an experiment, with a real
 * service.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ReviewEvent } from '../../electron/shared/review-model.ts';
import { AgentClient } from '../helpers/agent-client.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const cli = cliRig('cli-verdicts');
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await cli.run(...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};
const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const mark = (position: number, verdict: 'accepted' | 'rejected' | 'skipped', note = ''): ReviewEvent => ({
  ...{ type: 'mark', position, patch: { verdict, note }, atMs: Date.UTC(2026, 10, 1) },
});

function addReview(buildId: string, events: ReviewEvent[]): void {
  const [connection = ''] = readdirSync(join(cli.folder, 'connections'));
  const store = openDatasetStore({
    file: join(join(cli.folder, 'connections'), connection, 'datasets.db'),
    clock: systemClock,
    logger: silentLogger,
  });
  store.reviews.append(buildId, store.reviews.count(buildId), events);
  store.close();
}

test('a review goes to a second person and back, and its verdicts become results of an experiment', async () => {
  const application = 'Support assistant';
  const { items: spans } = await json(
    'spans',
    '--application',
    application,
    '--since',
    '3650d',
    '--limit',
    '4',
  );
  const file = cli.file('spans.json');
  writeFileSync(file, JSON.stringify(spans));
  const { buildId } = await json(
    ...['from-spans', '--application', application, '--spans', file, '--create', 'Judged by people'],
    ...['--mapping', '{"inputs": {"question": "user.intent"}}'],
  );
  addReview(buildId, [
    mark(0, 'accepted'),
    mark(1, 'rejected', 'Invents a policy'),
    { type: 'group', kindId: 'k', name: 'Invention', positions: [1], atMs: 1 },
    mark(2, 'skipped'),
    { type: 'mark', position: 3, patch: { note: 'look again' }, atMs: 1 },
  ]);

  const blind = cli.file('blind.jsonl');
  expect(await json('review', 'spans', buildId, '--output', blind)).toMatchObject({ rows: 4 });
  expect(lines(blind).map(({ span_id }) => span_id)).toEqual(
    spans.map(({ span_id }: { span_id: string }) => span_id),
  );
  const returned = cli.file('ann.jsonl');
  writeFileSync(
    returned,
    lines(blind)
      .map(({ trace_id, span_id }) => JSON.stringify({ trace_id, span_id, verdict: 'accepted' }))
      .join('\n'),
  );
  expect(await json('review', 'compare', buildId, returned, '--reviewer', 'Ann')).toMatchObject({
    ...{ reviewer: 'Ann', both: 2, different: 1, onlyOther: 2 },
    file: { rows: 4, decisions: 4 },
  });
  expect((await json('review')).items).toMatchObject([{ id: buildId, reviewers: ['Ann'] }]);
  expect((await cli.run('review', 'compare', buildId, returned)).stderr).toContain('--reviewer');

  const shown = await json('review', 'show', buildId);
  expect(shown).toMatchObject({ total: 4, complete: true, review: { id: buildId } });
  expect(shown.items).toMatchObject([
    { span_id: spans[0].span_id, verdict: 'accepted', note: '' },
    { verdict: 'rejected', note: 'Invents a policy', failure_kind: 'Invention' },
    { verdict: 'skipped' },
    { verdict: null, note: 'look again' },
  ]);
  const [decided] = (await json('review', 'show', buildId, '--verdict', 'rejected', '--limit', '1')).items;
  expect(decided).toMatchObject({ failure_kind: 'Invention' });
  expect((await cli.run('review', 'show', buildId, '--limit', '1')).stdout).toContain('3 further spans');
  expect((await cli.run('review', 'show', buildId, '--exact')).code).toBe(2);

  // An agent reads the same data.
  const { connections } = await json('doctor');
  await cli.run('agents', 'open', connections[0].name);
  await using agent = await AgentClient.start(cli.folder);
  const listed = await agent.call('reviews');
  expect(listed.answer.items).toMatchObject([{ id: buildId, accepted: 1, rejected: 1, skipped: 1 }]);
  const failed = await agent.call('reviews', { review: buildId, verdict: 'rejected' });
  expect(failed.answer.items).toMatchObject([{ failure_kind: 'Invention', note: 'Invents a policy' }]);

  const verdicts = cli.file('verdicts.jsonl');
  expect(await json('review', 'verdicts', buildId, '--output', verdicts)).toMatchObject({
    ...{ rows: 3, undecided: 1, withoutItem: 0 },
  });
  const other = ['--dataset', 'Claims triage, edge cases', '--output', cli.file('none.jsonl')];
  expect(await json('review', 'verdicts', buildId, ...other)).toMatchObject({
    ...{ rows: 0, withoutItem: 3, rejectedWithoutItem: 1 },
  });
  await json('experiments', 'create', 'People', '--dataset', 'Judged by people');
  const sent = await json('experiments', 'upload', 'People', verdicts);
  expect(sent).toMatchObject({ state: 'done', rows: 3, added: 3, refused: 0, unknown: 0 });
  const { items } = await json('experiments', 'results', 'People', '--all');
  const scores: [string, unknown[]][] = items.map(
    (each: { scores: unknown[]; experiment_item: { status: string } }) => [
      each.experiment_item.status,
      each.scores,
    ],
  );
  expect(scores).toHaveLength(3);
  expect(scores).toContainEqual(['SKIPPED', []]);
  expect(JSON.stringify(scores)).toMatch(/"evaluator_name":"Human"/);
  const rejected = JSON.stringify(scores.find(([, own]) => own.length === 3));
  for (const part of ['"value":0', '"reasoning":"Invents a policy"', '"label":"Invention"'])
    expect(rejected).toContain(part);

  // Verdicts are added only to results of a run that have the output that was judged.
  const judged = items.filter((each: { scores: unknown[] }) => each.scores.length > 0);
  const machine = judged.map((each: { experiment_item: Record<string, unknown> }, at: number) =>
    JSON.stringify({
      ...{ dataset_item_id: each.experiment_item['dataset_item_id'], 'scores.Judge.quality': 0.5 },
      outputs: at === 0 ? each.experiment_item['outputs'] : { answer: 'Something else' },
    }),
  );
  writeFileSync(cli.file('machine.jsonl'), `${machine.join('\n')}\n`);
  await json('experiments', 'create', 'Machine', '--dataset', 'Judged by people');
  await json('experiments', 'upload', 'Machine', cli.file('machine.jsonl'));
  const more = cli.file('more.jsonl');
  expect(
    await json('review', 'verdicts', buildId, '--experiment', 'Machine', '--output', more),
  ).toMatchObject({
    ...{ rows: 1, withoutResult: 1, undecided: 2 },
  });
  expect(await json('experiments', 'upload', 'Machine', more)).toMatchObject({ state: 'done', added: 1 });
  const { items: machines } = await json('experiments', 'results', 'Machine', '--all');
  const evaluators = machines.map((each: { scores: { evaluator_name: string }[] }) =>
    [...new Set(each.scores.map((score) => score.evaluator_name))].sort().join(),
  );
  expect(evaluators.sort()).toEqual(['Human,Judge', 'Judge']);

  // The second time nothing is added, and the judge is compared with the people who decided.
  expect(
    await json('review', 'verdicts', buildId, '--experiment', 'Machine', '--output', more),
  ).toMatchObject({ rows: 0, alreadyThere: 1, judgedOtherwise: 0 });
  const compared = ['experiments', 'compare', 'People', 'Machine', '--score', 'quality'];
  expect((await json(...compared)).shapes[0].shape.judged).toMatchObject([
    { run: 1, share: { both: 1, problem: 'one-sided', corrected: null } },
  ]);
  expect((await cli.run(...compared)).stdout).toContain('quality, Machine: Against people on 1 item (0.5 or');
});
