/** Experiments on the command line with a real service: reads, changes, and uploads of results from files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const cli = cliRig('cli-experiments');
const run = (...args: string[]) => cli.run('experiments', ...args, '--json');
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await run(...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};
const asked = () => cli.service.report().operations['experiments.add-results']?.requests ?? 0;
const RUN = 'Triage rules 2.3';

function write(name: string, text: string): string {
  const file = cli.file(name);
  writeFileSync(file, text);
  return file;
}

test('lists, shows and orders, and answers from the store with the network cut', async () => {
  const { items, total } = await json('list');
  expect(total).toBe(10);
  expect(items[0]).toMatchObject({ name: 'Baseline, prompt v1', status: 'COMPLETED' });
  expect(await json('get', 'Larger model')).toMatchObject({
    dataset: { name: 'Support answers, golden set' },
  });
  const worst = await json('results', 'Triage rules 2.2', '--ordering', 'scores.relevance', '--limit', '5');
  expect(worst.items).toHaveLength(5);
  expect(worst.items[0].scores[0]).toMatchObject({ name: 'relevance', value: 0 });
  expect((await json('metrics', 'Triage rules 2.2')).evaluators).toHaveLength(3);
  const whole = await json('results', 'Triage rules 2.2', '--all');
  expect(whole).toMatchObject({ total: 320, complete: true });
  const stored = await json('results', 'Triage rules 2.2', '--all', '--offline');
  expect(stored.items).toEqual(whole.items);
  expect(await json('metrics', 'Triage rules 2.2', '--offline')).toMatchObject({
    evaluators: expect.any(Array),
  });
});

test('creates an experiment in the application of its dataset, describes it, and deletes it only with --yes', async () => {
  const made = ['create', 'Trial', '--dataset', 'Claims triage, edge cases', '--metadata', '{"rules": "3"}'];
  await json(...made);
  expect(await json('get', 'Trial')).toMatchObject({
    ...{ status: 'PENDING', metadata: { rules: '3' }, application: { name: 'Claims triage agent' } },
  });
  expect((await run(...made)).stderr).toMatch(/^error CONFLICT: /m);
  await json('describe', 'Trial', '--description', 'First try');
  expect(await json('get', 'Trial')).toMatchObject({ description: 'First try', metadata: { rules: '3' } });
  expect((await run('describe', 'Trial')).stderr).toContain('expects --description, --metadata or both');
  await run('delete', 'Trial');
  expect(await json('get', 'Trial')).toMatchObject({ name: 'Trial' });
  await json('delete', 'Trial', '--yes');
  expect((await run('get', 'Trial')).stderr).toContain('No experiment named "Trial"');
});

test('uploads a file of results: a dry run sends nothing, and every part is read back', async () => {
  const file = write(
    'results.csv',
    [
      'dataset_item_id,outputs.answer,scores.Judge.quality,scores.tone,status,error_message,duration_ms,note',
      'a,Here,0.5,polite,SUCCESS,,120,x',
      'b,,,,FAILED,No answer within 30 s,30000,y',
      'c,There,1,,SKIPPED,,,z',
    ].join('\n'),
  );
  const dry = await run('upload', RUN, file, '--dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({ rows: 3, items: 3, badRows: 0, requests: 1 });
  expect(dry.stderr).toContain('note: left out');
  expect((await run('upload', RUN, file, '--plan')).code).toBe(0);
  expect(asked()).toBe(0);
  const done = await json('upload', RUN, file);
  expect(done).toMatchObject({ state: 'done', rows: 3, added: 3, refused: 0, unknown: 0 });
  expect(readFileSync(String(done.receiptsFile), 'utf8').trim().split('\n')).toHaveLength(4);
  const { items } = await json('results', RUN, '--all');
  const byItem = new Map(
    items.map((each: { experiment_item: { dataset_item_id: string } }) => [
      each.experiment_item.dataset_item_id,
      each,
    ]),
  );
  expect(byItem.get('a')).toMatchObject({
    experiment_item: { outputs: { answer: 'Here' }, status: 'SUCCESS', duration_ms: 120 },
    scores: [
      { evaluator_name: 'Judge', name: 'quality', value: 0.5 },
      { evaluator_name: 'tone', name: 'tone', value: null, label: 'polite' },
    ],
  });
  expect(byItem.get('b')).toMatchObject({
    experiment_item: { status: 'FAILED', error_message: 'No answer within 30 s', outputs: {} },
    scores: [],
  });
  const again = await run('upload', RUN, file);
  expect(again.code).not.toBe(0);
  expect(asked()).toBe(1);
});

test('a file without columns of a result is refused by their names, and several results of an item are counted', async () => {
  const other = await run('upload', RUN, write('other.csv', 'question,answer\na,b\n'), '--dry-run');
  expect(other.stderr).toContain(
    'Expected columns such as dataset_item_id, outputs.answer, scores.Judge.quality or status, got question, answer.',
  );
  const rows = 'dataset_item_id,outputs.answer,duration_ms\nd1,a,5\nd1,b,-5\n';
  const twice = await cli.run('experiments', 'upload', RUN, write('twice.csv', rows), '--dry-run');
  expect(twice.stdout).toContain('1 row has a dataset item that occurs in an earlier row of this file: “d1”');
  expect(twice.stdout).toContain(
    'line 3, duration_ms "-5": Expected a whole number of milliseconds, got -5.',
  );
});

test('results that the service refuses end with the code of its answer', async () => {
  const action = { type: 'status', status: 422 } as const;
  cli.service.setFaults([{ match: { operation: 'experiments.add-results' }, action }]);
  const file = write('one.csv', 'dataset_item_id,status\nd1,SUCCESS\n');
  const { code, stderr } = await run('upload', RUN, file);
  expect(stderr).toContain('The service refused 1 result. The first refusal: ');
  expect(code).toBe(6);
});

test('a row without an item or with an unknown state stops the upload before anything is sent', async () => {
  const rows = [
    '{"dataset_item_id": "a", "outputs": {"x": 1}, "scores": []}',
    '{"outputs": {}, "status": "DONE"}',
  ];
  const file = write('bad.jsonl', `${rows.join('\n')}\n`);
  const before = asked();
  const refused = await run('upload', RUN, file);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('line 2');
  expect(asked()).toBe(before);
  const skipped = await json('upload', RUN, file, '--on-bad-row', 'skip');
  expect(skipped).toMatchObject({ state: 'done', added: 1, badRows: 1 });
});

test('a lost answer is settled by reading the results back: nothing is there twice', async () => {
  const file = write('lost.jsonl', '{"dataset_item_id": "lost", "outputs": {"answer": "Once"}}\n');
  cli.service.setFaults([
    { match: { operation: 'experiments.add-results' }, times: 1, action: { type: 'drop-after' } },
  ]);
  expect(await json('upload', RUN, file)).toMatchObject({ state: 'done', added: 1, unknown: 0 });
  const { items } = await json('results', RUN, '--all');
  const found = items.filter(
    (each: { experiment_item: { dataset_item_id: string } }) =>
      each.experiment_item.dataset_item_id === 'lost',
  );
  expect(found).toHaveLength(1);
});

test('a service without experiments says so, and a wrong word names what there is', async () => {
  expect((await run('lst')).stderr).toContain(
    'list, get, results, metrics, compare, usage, create, describe, delete, upload',
  );
  expect((await run('get')).stderr).toContain('expects EXPERIMENT');
  cli.service.setStrict(true);
  try {
    const refused = await run('get', 'Baseline');
    expect(refused).toMatchObject({ code: 6 });
    expect(refused.stderr).toContain('does not list its experiments');
  } finally {
    cli.service.setStrict(false);
  }
});

test('an experiment is kept offline whole, searched, queried by SQL and exported without a request', async () => {
  const name = 'Triage rules 2.3, first look';
  const kept = await cli.run('keep', 'experiment', name, '--json');
  expect(kept.code, kept.stderr).toBe(0);
  const stored = await json('results', name, '--all', '--offline');
  expect(stored).toMatchObject({ total: 90, complete: true });
  const word = String(stored.items[0].dataset_item.inputs.question).split(' ').slice(0, 4).join(' ');
  const found = JSON.parse((await cli.run('search', `"${word}"`, '--kind', 'results', '--json')).stdout);
  expect(found.items[0]).toMatchObject({ kind: 'results', place: expect.any(String) });
  const statement = `SELECT experiment, count(*) AS n FROM results WHERE experiment = '${name}' GROUP BY 1`;
  const sql = await cli.run('sql', statement, '--offline', '--json');
  expect(sql.code, sql.stderr).toBe(0);
  expect(sql.stdout).toContain('90');
  const file = cli.file('results.parquet');
  const list = [
    'export',
    'experiments.results',
    '--experiment',
    name,
    '--output',
    file,
    '--offline',
    '--json',
  ];
  const written = await cli.run(...list);
  expect(written.code, written.stderr).toBe(0);
});

test('compares runs of one dataset, and answers the same with the network cut', async () => {
  const runs = ['Triage rules 2.1', 'Triage rules 2.2'];
  const found = await json('compare', ...runs, '--score', 'relevance', '--worse', '0.5', '--limit', '3');
  expect(found).toMatchObject({ baseline: runs[0], score: 'relevance', items: [{}, {}, {}] });
  for (const { sides } of found.items) expect(sides[1].difference).toBeLessThanOrEqual(-0.5);
  expect(found.scores.map(({ key }: { key: string }) => key)).toContain('faithfulness');
  expect(
    await json('compare', ...runs, '--score', 'relevance', '--worse', '0.5', '--limit', '3', '--offline'),
  ).toEqual(found);
  const turned = await json('compare', ...runs, '--baseline', 'Triage rules 2.2', '--better', '0.5');
  expect(turned).toMatchObject({ baseline: 'Triage rules 2.2', total: found.total });
  const file = cli.file('compared.csv');
  await json('compare', ...runs, '--evaluator', 'Tone', '--output', file);
  const lines = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  expect(lines[0]).toContain('item_id,input,Triage rules 2.1 value,Triage rules 2.1 label');
  expect(lines).toHaveLength(321);
  const { stdout } = await cli.run('experiments', 'compare', ...runs);
  expect(stdout).toMatch(/^Triage rules 2\.2: 320 items, \d+ skipped, 320 shared with the baseline\.$/m);
  expect(stdout).toMatch(
    /^relevance, Triage rules 2\.2: .* p = [\d.e-]+, adjusted for all scores and runs \(Benjamini and Hochberg\)\./m,
  );
});

test.each([
  [['compare', RUN], 'expects two to four experiments, got 1'],
  [['compare', 'a', 'b', 'c', 'd', 'e'], 'expects two to four experiments, got 5'],
  [['compare', 'Triage rules 2.1', 'Larger model'], 'Expected runs over one dataset'],
  [['compare', 'Triage rules 2.1', 'Triage rules 2.2', '--score', 'relevanc'], 'relevance'],
  [['compare', 'Triage rules 2.1', 'Triage rules 2.2', '--evaluator', 'Judge'], '--evaluator expects one of'],
  [['compare', 'Triage rules 2.1', 'Triage rules 2.2', '--worse', 'much'], 'expects the minimum difference'],
  [['compare', 'Triage rules 2.1', 'Triage rules 2.2', '--worse', '1', '--better', '1'], 'not both'],
  [['compare', 'Triage rules 2.1', 'Triage rules 2.2', '--label', 'none such'], '--label expects one of'],
  [['compare', 'Triage rules 2.1', 'Triage rules 2.2', '--baseline', RUN], '--baseline expects one of'],
])('says what is wrong with %j', async (args, message) => {
  const { stderr, code } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a gate takes two experiments, and its exit code says whether the later one is certainly worse', async () => {
  const gate = (...args: string[]) => cli.run('gate', ...args, '--json');
  const better = await gate('Triage rules 2.1', 'Triage rules 2.1', '--fail-if', 'worse > 2 %');
  expect(better.stderr).toContain('Expected different runs');
  const worse = await gate(
    ...['Prompt v2, shorter answers', 'Baseline, prompt v1', '--score', 'faithfulness'],
    ...['--fail-if', 'worse > 1 %'],
  );
  expect(worse, worse.stderr).toMatchObject({ code: 10 });
  expect(JSON.parse(worse.stdout)).toMatchObject({ result: 'failed', items: [{ score: 'faithfulness' }] });
  const turned = ['Baseline, prompt v1', 'Prompt v2, shorter answers', '--score', 'faithfulness'];
  expect(await gate(...turned, '--fail-if', 'worse > 1 %')).toMatchObject({ code: 0 });
  expect(await gate(...turned, '--fail-if', 'missing > 50 %')).toMatchObject({ code: 0 });
  const half = 'Prompt v3, eight repetitions';
  await json('get', half);
  await json('results', half, '--limit', '5');
  const partial = await gate('Baseline, prompt v1', half, '--fail-if', 'worse > 1 %', '--offline');
  expect(partial).toMatchObject({ code: 12, stdout: expect.not.stringContaining('"complete": true') });
  expect(partial.stderr).toMatch(
    /^error GATE_EMPTY: Expected all 10,000 results of Prompt v3, eight repetitions, got [\d,]+\. Read them online first\.$/m,
  );
  const unknown = await gate('Baseline, prompt v1', 'No such run', '--fail-if', 'worse > 1 %');
  expect(unknown.stderr).toContain('No experiment named "No such run"');
});

test('a gate decides by stored results only with --offline, and a comparison of a part says so by its code', async () => {
  const gate = ['gate', 'Baseline, prompt v1', 'Prompt v2, shorter answers', '--score', 'faithfulness'];
  const rule = ['--fail-if', 'worse > 1 %'];
  expect(await cli.run(...gate, ...rule)).toMatchObject({ code: 0 });
  const action = { type: 'status', status: 500 } as const;
  cli.service.setFaults([{ match: { operation: 'experiments.results' }, action }]);
  const old = await cli.run(...gate, ...rule);
  expect(old.stderr).toMatch(
    /^error .* The results of Baseline, prompt v1 are not new: .* Nothing was decided\./m,
  );
  expect(old).toMatchObject({ code: 6, stdout: '' });
  expect(await cli.run(...gate, ...rule, '--offline')).toMatchObject({ code: 0 });
  cli.service.setFaults([]);
  const half = 'Prompt v3, eight repetitions';
  await json('get', half);
  await json('results', half, '--limit', '5');
  const part = await run('compare', 'Baseline, prompt v1', half, '--offline');
  expect(part.stderr).toMatch(/^error INCOMPLETE: Only [\d,]+ of 10,000 results are stored\./m);
  expect(part.code).toBe(7);
  expect(JSON.parse(part.stdout).runs).toMatchObject([{ isComplete: true }, { isComplete: false }]);
});
