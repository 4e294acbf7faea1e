/** Datasets from spans, and scores, on the command line with a real service. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type CliResult, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const MAPPING = JSON.stringify({
  inputs: { question: 'system.gen_ai.llm.input.user' },
  expected_outputs: { answer: 'system.gen_ai.llm.output' },
  metadata: { intent: 'user.intent' },
});

let raw: RawService;
let folder: ReturnType<typeof temporaryFolder>;
let applicationId: string;
let spans: Record<string, unknown>[];

beforeEach(async () => {
  raw = await RawService.start();
  folder = temporaryFolder('cli-spans');
  const { items } = await raw.page(raw.path('applications.list'));
  applicationId = String(items[0]?.['id']);
  const answer = await raw.call('POST', raw.path('spans.query'), {
    body: {
      application_id: applicationId,
      start_time: '2020-01-01T00:00:00Z',
      end_time: '2040-01-01T00:00:00Z',
      page_size: 1000,
    },
  });
  const found = z.array(z.looseObject({ span_type: z.string() })).parse(answer.envelope.data?.['items']);
  spans = found.filter((span) => span.span_type === 'llm');
});

afterEach(async () => {
  const report = raw.service.report();
  await raw.service.stop();
  folder.remove();
  expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

function cli(args: string[], run: typeof runHere = runHere): Promise<CliResult> {
  return run([...args, '--base-url', raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
}

/** Runs a separate process, which is killed. */
function process(args: string[], onStart: (child: ChildProcess) => void): Promise<CliResult> {
  return cli(args, (all, options) => runCli(all, { token: TOKEN, dataDir: options.dataDir, onStart }));
}

function write(name: string, text: string): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

function csv(rows: readonly Record<string, unknown>[]): string {
  const lines = rows.map((span) => `${span['start_time']};${span['span_id']};${span['trace_id']}`);
  return `start_time;span_id;trace_id\n${lines.join('\n')}\n`;
}

const calls = () => raw.service.report().operations['datasets.add-spans']?.statuses ?? {};
const itemsOf = async (datasetId: string) =>
  (await raw.page(raw.path('datasets.items', { dataset_id: datasetId }, '?limit=1000'))).items;

test('a new dataset from a CSV file: planned, sent in requests of 200, with receipts; again: nothing is added twice', async () => {
  const chosen = spans.slice(0, 250);
  const file = write('spans.csv', csv(chosen));
  const mapping = write('mapping.json', MAPPING);
  const common = ['--application', applicationId, '--spans', file, '--mapping', `@${mapping}`, '--json'];
  const planned = await cli(['from-spans', 'Answers', ...common, '--create', '--plan']);
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(planned.stdout)).toMatchObject({ calls: 2, spans: 250, problems: [] });
  expect(calls()).toEqual({});

  const sent = await cli(['from-spans', 'Answers', ...common, '--create', '--verify']);
  expect(sent.code).toBe(0);
  const result = JSON.parse(sent.stdout);
  expect(result).toMatchObject({ state: 'done', spans: 250, written: 250, calls: 2, notFound: [] });
  expect(calls()).toEqual({ 201: 2 });
  const items = await itemsOf(result.datasetId);
  expect(items.map((item) => item['source_id'])).toEqual(chosen.map((span) => span['span_id']));
  expect(items[0]).toMatchObject({ inputs: { question: expect.any(String) } });
  const receipts = readFileSync(result.receiptsFile, 'utf8').trimEnd().split('\n');
  expect(receipts).toHaveLength(251);

  const again = await cli(['from-spans', 'Answers', ...common]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('Every selected span is skipped (250 in the dataset already).');
  const more = await cli(['from-spans', 'Answers', ...common, '--add-again']);
  expect(JSON.parse(more.stdout)).toMatchObject({ written: 250 });
  expect(await itemsOf(result.datasetId)).toHaveLength(500);
});

test('the answer names every missing span, and the messages say how many of them they leave out', async () => {
  const unknown = Array.from({ length: 260 }, (_, at) => ({
    trace_id: 'f'.repeat(32),
    span_id: at.toString(16).padStart(16, '0'),
    start_time: spans[0]?.['start_time'],
  }));
  const file = write('unknown.jsonl', unknown.map((span) => JSON.stringify(span)).join('\n'));
  const common = ['--application', applicationId, '--spans', file, '--mapping', MAPPING, '--skip-unresolved'];
  const ended = await cli(['from-spans', 'Answers', ...common, '--create', '--json']);
  const { notFound } = JSON.parse(ended.stdout);
  expect(notFound.map(({ span_id }: { span_id: string }) => span_id)).toEqual(
    unknown.map(({ span_id }) => span_id),
  );
  expect(ended.stderr).toMatch(/^60 more spans not found: export not-found \S+ --output FILE names all\.$/m);
});

test('missing spans are named, the command fails, and builds skip continues without them', async () => {
  const chosen = [
    ...spans.slice(0, 5),
    { trace_id: 'f'.repeat(32), span_id: 'f'.repeat(16), start_time: spans[0]?.['start_time'] },
  ];
  const file = write('spans.jsonl', chosen.map((span) => JSON.stringify(span)).join('\n'));
  const common = ['--application', applicationId, '--spans', file, '--mapping', MAPPING, '--json'];
  const stopped = await cli(['from-spans', 'Answers', ...common, '--create']);
  expect(stopped.code).toBe(1);
  const result = JSON.parse(stopped.stdout);
  expect(result).toMatchObject({
    state: 'stopped',
    unresolved: 1,
    written: 0,
    notFound: [{ span_id: 'f'.repeat(16) }],
  });
  expect(stopped.stderr).toMatch(/error UNPROCESSABLE: The service could not find one span\..*builds skip /);
  const listed = JSON.parse((await cli(['builds', '--json'])).stdout);
  expect(listed.items).toMatchObject([{ id: result.buildId, state: 'stopped', unsent: 5 }]);

  const renamed = await cli(['builds', 'rename', result.buildId, 'Refunds']);
  expect(renamed.stdout).toBe('Renamed: Answers (command line) is now Refunds.\n');
  const copied = await cli(['builds', 'copy', result.buildId, 'Second try']);
  expect(copied.stdout).toBe('Copied 6 spans of Refunds to Second try, which has 6 spans now.\n');
  const again = JSON.parse((await cli(['builds', 'copy', result.buildId, 'Second try', '--json'])).stdout);
  expect(again).toMatchObject({ name: 'Second try', added: 0, spans: 6 });
  await cli(['builds', 'forget', again.buildId, '--yes']);
  const unnamed = await cli(['builds', 'rename', result.buildId]);
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('expects ID and the new NAME') });

  const skipped = await cli(['builds', 'skip', '--verify', '--json']);
  expect(JSON.parse(skipped.stdout)).toMatchObject({
    state: 'done',
    written: 5,
    leftOut: 1,
    check: { verdict: 'equal', comparedItems: 5 },
  });
  expect(skipped.code).toBe(0);
  expect(calls()).toEqual({ 201: 1, 422: 1 });
  const forgotten = await cli(['builds', 'forget', result.buildId, '--yes']);
  expect(forgotten.stdout).toBe('Forgotten: Refunds. Its items stay in the dataset.\n');
});

test('mistakes are reported before anything is sent', async () => {
  const good = write('spans.csv', csv(spans.slice(0, 3)));
  const bare = write('bare.csv', `trace_id,span_id\n${'a'.repeat(32)},${'b'.repeat(16)}\n`);
  const other = write('other.csv', 'trace,span\n1,2\n');
  const empty = write('empty.json', '[]');
  const base = (file: string, mapping = MAPPING) => [
    'from-spans',
    'Answers',
    '--create',
    '--application',
    applicationId,
    '--spans',
    file,
    '--mapping',
    mapping,
  ];
  const cases: [string[], string][] = [
    [['from-spans'], 'from-spans expects DATASET'],
    [['from-spans', 'X', '--spans', good], 'from-spans expects --application'],
    [base(bare), 'Without a readable start_time: 1 of 1 span. Add --start and --end, or --since.'],
    [[...base(bare), '--start', 'now', '--end', 'later'], '--end expects a time such as'],
    [[...base(good), '--end', '2025-01-01T00:00:00Z'], 'expects both --start and --end'],
    [base(other), 'Expected the columns trace_id and span_id in line 1, got trace, span.'],
    [base(empty), 'error FILE_EMPTY'],
    [base(join(folder.path, 'nowhere.csv')), 'error FILE_NOT_FOUND'],
    [base(good, '{"input": {"a": "b"}}'), '--mapping expects {"inputs"'],
    [base(good, '{"extras": {"a": "b"}}'), 'Nothing was sent. Map at least one key to inputs.'],
    [[...base(good).filter((word) => word !== '--create')], 'No dataset named "Answers"'],
    [['builds', 'jump'], 'builds expects add, ask, resume, skip'],
    [['builds', 'resume', 'abcdef'], 'No build abcdef'],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await cli(args);
    expect({ args, code, stderr }).toMatchObject({
      args,
      code: /^error INVALID_ARGUMENT/m.test(stderr) ? 2 : 1,
      stderr: expect.stringContaining(message),
    });
  }
  expect(calls()).toEqual({});
  expect(JSON.parse((await cli(['builds', '--json'])).stdout).items).toEqual([]);
});

test('killed with a call in flight: builds decide finds the written items, nothing is added twice', async () => {
  raw.service.setFaults([
    {
      match: { operation: 'datasets.add-spans' },
      after: 2,
      times: 1,
      action: { type: 'hang', isStored: true },
    },
  ]);
  const file = write('spans.csv', csv(spans.slice(0, 300)));
  const args = ['from-spans', 'Answers', '--create', '--application', applicationId, '--spans', file];
  const killed = await process([...args, '--mapping', MAPPING], (child) => {
    const watch = setInterval(() => {
      if ((raw.service.report().operations['datasets.create']?.requests ?? 0) === 0) return;
      if ((raw.service.report().faults ?? 0) === 0) return;
      clearInterval(watch);
      child.kill('SIGKILL');
    }, 20);
    child.once('exit', () => clearInterval(watch));
  });
  expect(killed.code).toBeNull();
  const decided = await cli(['builds', 'decide', '--verify', '--json']);
  expect(JSON.parse(decided.stdout)).toMatchObject({
    state: 'done',
    written: 300,
    check: {
      verdict: 'count-agrees',
      facts: expect.arrayContaining([
        'Could not compare 300 items: only the ids of the spans are stored here.',
      ]),
    },
  });
  expect(decided.code).toBe(0);
  expect(await itemsOf(JSON.parse(decided.stdout).datasetId)).toHaveLength(300);
});

test('items are scored and written as CSV; a field missing in all items fails the command', async () => {
  const dataset = 'Claims triage, edge cases';
  const datasetId = await raw.idOf('datasets.list', dataset);
  const ids = (await itemsOf(datasetId)).slice(0, 4).map(({ id }) => String(id));
  const items = write('ids.txt', `${ids.join('\n')}\n`);
  const base = ['score-items', dataset, '--evaluator', 'conciseness', '--json', '--items', items];
  const scored = await cli([...base, '--input', 'response=expected_outputs.answer']);
  expect(scored.code).toBe(0);
  const result = JSON.parse(scored.stdout);
  expect(result).toMatchObject({
    state: 'done',
    items: 4,
    scored: 4,
    failed: 0,
    scoreNames: ['is_concise'],
  });
  expect(readFileSync(result.scoresFile, 'utf8').split('\n')[1]).toContain(`${ids[0]},scored,`);
  const lacking = await cli([...base, '--input', 'response=extras.nothing']);
  expect(lacking.code).toBe(2);
  expect(lacking.stderr).toContain('No item has the fields extras.nothing');
  expect(JSON.parse(lacking.stdout)).toMatchObject({ state: 'done', scored: 0, skipped: 4, failed: 0 });
  const wrong = await cli([...base, '--input', 'response']);
  expect(wrong.stderr).toContain('--input expects NAME=BUCKET.FIELD');
});

test('builds add reads times and null words of a flat export as the flags say, and rejects a flag without effect', async () => {
  const file = write(
    'flat.csv',
    [
      'trace_id,span_id,start_time,name,llm_input_user,score',
      `${'a'.repeat(32)},${'1'.repeat(16)},13/05/2026 00:30,ChatModel,Hello,"1,5"`,
      `${'a'.repeat(32)},${'2'.repeat(16)},14/05/2026 00:30,ChatModel,NULL,"2,5"`,
    ].join('\n'),
  );
  const add = ['builds', 'add', 'Flat', file, '--application', applicationId];
  const refused = await cli([...add, '--decimal', 'comma']);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("Unknown option '--decimal'");
  expect((await cli(['builds', '--zone', 'UTC'])).stderr).toContain('It belongs to: builds add');
  const flags = ['--day-first', '--zone', 'Europe/Berlin', '--null', 'llm_input_user=NULL'];
  const added = JSON.parse((await cli([...add, ...flags, '--json'])).stdout);
  expect(added).toMatchObject({ rows: 2, added: 2, badRows: 0 });
  expect(
    added.ledger.changes.map(({ rule, source }: { rule: string; source: string }) => `${source}: ${rule}`),
  ).toEqual(
    expect.arrayContaining(['start_time: day-first', 'start_time: zone', 'llm_input_user: null-word']),
  );
});

test('builds add counts spans whose start cannot be read', async () => {
  const start = ['01/02/2026 10:00', '2026-05-13T10:00:00Z'];
  const file = write(
    'starts.csv',
    `trace_id,span_id,start_time,name\n${start.map((each, at) => `t,s${at},${each},n`).join('\n')}\n`,
  );
  const { stdout } = await cli(['builds', 'add', 'Starts', file, '--application', applicationId]);
  expect(stdout).toContain(
    '1 span without a start that can be read, for which the service is not asked. If the start is written as a date, --day-first, --month-first or --zone say how.',
  );
});

test('builds add fills a basket from a file, and builds ask shows which of its spans the service has', async () => {
  const rows = [
    ...spans.slice(0, 12),
    spans[0],
    { ...spans[13], span_id: 'e'.repeat(16) },
    { ...spans[14], trace_id: undefined },
  ];
  const file = write('export.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const nameless = await cli(['builds', 'add', 'Wrong answers', file]);
  expect(nameless.stderr).toMatch(/found no draft Wrong answers\. To make one .* add --application/);
  const added = await cli(['builds', 'add', 'Wrong answers', file, '--application', applicationId]);
  expect(added.stdout).toContain('Added 13 spans of 15 rows to Wrong answers, which has 13 spans now.');
  expect(added.stdout).toContain('1 row with the ids of an earlier row; only the first counts.');
  expect(added.stderr).toContain('line 15: Expected a trace id, got none.');
  const again = JSON.parse((await cli(['builds', 'add', 'Wrong answers', file, '--json'])).stdout);
  expect(again).toMatchObject({ rows: 15, added: 0, spans: 13, badRows: 1 });
  const asked = JSON.parse((await cli(['builds', 'ask', again.buildId, '--json'])).stdout);
  expect(asked).toMatchObject({ asked: 13, known: 12, absent: 1, other: 0 });
  expect(asked.plan).toBe(
    '13 items in 2 requests of at most 200 spans: 12 by their spans, 1 as items (1 from a file).',
  );
});
