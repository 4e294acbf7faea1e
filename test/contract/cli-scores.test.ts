/** `scores` lists and resumes a run that was interrupted, killed or cancelled. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FAR, LaterRig, leave } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

/** Sends a signal once the run is in progress. */
const once = (signal: 'SIGINT' | 'SIGKILL') => (child: ChildProcess) => {
  const watch = setInterval(() => {
    if (rig.sent('evaluators.score') < 20) return;
    clearInterval(watch);
    child.kill(signal);
  }, 10);
  child.once('close', () => clearInterval(watch));
};
const listed = async () => JSON.parse((await rig.here(['scores'])).stdout).items;

test.each(['SIGINT', 'SIGKILL'] as const)(
  'a run that was ended by %s is resumed to its end',
  async (signal) => {
    const stopped = await rig.cli(rig.scores(), once(signal));
    expect(stopped.code).toBe(signal === 'SIGINT' ? 130 : null);
    if (signal === 'SIGINT') {
      expect(stopped.stderr).toMatch(/^error CANCELLED: The run is paused\. .*scores resume [0-9a-f-]{36}$/m);
    }
    const [run] = await listed();
    expect(run).toMatchObject({ evaluator: 'conciseness', state: 'paused', startAt: null });
    expect(run.scored).toBeLessThan(run.items);
    const done = JSON.parse((await rig.here(['scores', 'resume'])).stdout);
    expect(done).toMatchObject({ runId: run.id, state: 'done', unscored: 0, items: 320 });
    const file = `${rig.folder.path}/scores.jsonl`;
    const wrong = await rig.textHere(['export', 'scores', '--output', file, '--as', 'chat']);
    expect(wrong.stderr).toContain('export scores takes no --as');
    const written = await rig.here(['export', 'scores', run.id.slice(0, 8), '--output', file]);
    expect(JSON.parse(written.stdout)).toMatchObject({
      ...{ rows: 320, complete: true },
      source: { table: 'scores', runId: run.id, evaluator: 'conciseness' },
    });
    const [first = ''] = readFileSync(file, 'utf8').split('\n');
    expect(JSON.parse(first)).toMatchObject({
      ...{ item_id: expect.any(String), state: 'scored', error: null },
      scores: { is_concise: { value: expect.any(Number) } },
    });
    const forgotten = await rig.textHere(['scores', 'forget', run.id.slice(0, 8), '--yes']);
    expect(forgotten.stdout).toMatch(/^Forgotten: the scores by conciseness of .+\.\n$/);
    expect(await listed()).toEqual([]);
  },
);

test('a cancelled planned run says how to resume it, and failed items are scored again', async () => {
  await rig.here([...rig.scores(), ...FAR], leave);
  const [run] = await listed();
  const off = await rig.here(['planned', 'cancel', run.id]);
  expect(off.stderr).toContain(`It is kept: scores resume ${run.id}`);
  rig.raw.service.setFaults([
    { match: { operation: 'evaluators.score' }, times: 3, action: { type: 'status', status: 422 } },
  ]);
  const failed = await rig.here(['scores', 'resume']);
  expect(failed.code).toBe(6);
  expect(JSON.parse(failed.stdout)).toMatchObject({ state: 'done', unscored: 0 });
  expect(JSON.parse(failed.stdout).failed).toBeGreaterThan(0);
  expect(failed.stderr).toContain(`Score them again with: scores retry ${run.id}`);
  rig.raw.service.setFaults([]);
  expect(JSON.parse((await rig.here(['scores', 'retry'])).stdout)).toMatchObject({ failed: 0, scored: 320 });
  const wrong = await rig.here(['scores', 'again']);
  expect(wrong.stderr).toMatch(
    /^error INVALID_ARGUMENT: scores expects results, resume, retry, compare, forget or nothing, got again\.$/m,
  );
});

test('two runs of one dataset are compared item by item, and written as a file', async () => {
  const LONG = 'word '.repeat(80).trim();
  const first = JSON.parse((await rig.here(rig.scores())).stdout);
  const again = rig.scores().map((part) => (part.startsWith('response=') ? `response=@${LONG}` : part));
  const second = JSON.parse((await rig.here(again)).stdout);
  const file = rig.write('compared.jsonl', '');
  const ids = [first.runId, second.runId];
  const answer = JSON.parse((await rig.here(['scores', 'compare', ...ids, '--output', file])).stdout);
  expect(answer).toMatchObject({ score: 'is_concise', total: 320, counts: { better: 0, missing: 0 } });
  expect(answer.counts.worse).toBeGreaterThan(0);
  expect(answer.counts.worse + answer.counts.same).toBe(320);
  expect(answer.shape.labels).toContainEqual({ before: 'yes', after: 'no', items: answer.counts.worse });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const [earlier, later] = answer.runs.map(({ name }: { name: string }) => name);
  const changes = lines.map((line) => JSON.parse(line)[`${later} change`]);
  expect(changes.filter((change) => change === 'worse')).toHaveLength(answer.counts.worse);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    ...{ [`${earlier} value`]: 1, [`${later} value`]: 0, [`${later} difference`]: -1 },
    ...{ [`${later} reasoning`]: expect.stringMatching(/\w/), failure_kind: null },
  });
  const turned = ['scores', 'compare', ...ids.map((id) => id.slice(0, 8)), '--lower-is-better'];
  expect(JSON.parse((await rig.here(turned)).stdout).counts).toMatchObject({
    better: answer.counts.worse,
    worse: 0,
  });
  // The text output has one line per item.
  const read = (await rig.textHere(['scores', 'compare', ...ids])).stdout.split('\n');
  expect(read).toContainEqual(expect.stringMatching(/^Labels of is_concise: .*yes to no \d+/));
  expect(read).toContainEqual(expect.stringMatching(/^item +input +\S/));
  expect(read.filter((line) => / yes +no \(-1\)/.test(line))).not.toHaveLength(0);
  // If there are several runs, the labels of each are under its name.
  const third = JSON.parse((await rig.here(rig.scores())).stdout);
  const three = ['scores', 'compare', ...ids, third.runId];
  const { runs, shapes } = JSON.parse((await rig.here(three)).stdout);
  const [nameOfSecond, nameOfThird] = shapes.map(({ run }: { run: string }) => run);
  expect([nameOfSecond, nameOfThird]).toEqual([runs[1].name, runs[2].name]);
  const told = (await rig.textHere(three)).stdout.split('\n');
  expect(told.filter((line) => line.includes('Labels of'))).toEqual([
    expect.stringContaining(`${nameOfSecond}: Labels of is_concise: `),
    expect.stringContaining(`${nameOfThird}: Labels of is_concise: `),
  ]);
  const pairs = shapes.map(({ shape }: { shape: { labels: { after: string }[] } }) => shape.labels);
  expect(pairs[0]).toContainEqual({ before: 'yes', after: 'no', items: answer.counts.worse });
  expect(pairs[1]).not.toContainEqual(expect.objectContaining({ before: 'yes', after: 'no' }));
  const only = async (...args: string[]) =>
    JSON.parse((await rig.here(['scores', 'compare', ...ids, ...args])).stdout).total;
  expect(await only('--worse', '0')).toBe(answer.counts.worse);
  expect([await only('--state', 'failed'), await only('--state', 'scored')]).toEqual([0, 320]);
  const wrong = await rig.here(['scores', 'compare', ...ids, '--state', 'fialed']);
  expect(wrong.stderr).toContain('--state expects one of scored, failed, skipped, open, got fialed.');
  const gate = async (...args: string[]) => {
    const { code, stdout } = await rig.here(['gate', ...args]);
    return { code, items: JSON.parse(stdout).items };
  };
  const score = first.scoreNames[0];
  // The gate counts every item, whether it has a score in both runs or its score is missing.
  expect(await gate(...ids, '--fail-if', 'missing > 0')).toMatchObject({
    ...{ code: 0, items: [{ score, rule: 'missing > 0' }] },
  });
  expect((await gate(...ids, '--fail-if', 'worse > 1 %')).code).toBe(10);
  const twice = await rig.here(['scores', 'compare', first.runId, first.runId]);
  expect(twice.stderr).toContain(`Expected different runs, got ${first.runId} twice.`);
});

test('a check is computed without the evaluator, and an incomplete one is refused with its missing parts', async () => {
  const [name = ''] = rig.scores().slice(1);
  const check = (...more: string[]) => ['score-items', name, '--check', ...more];
  const input = ['--input', 'text=expected_outputs.answer'];
  const before = rig.sent('evaluators.score');
  const done = JSON.parse(
    (await rig.here(check('length', '--unit', 'words', '--most', '12', ...input))).stdout,
  );
  expect(done).toMatchObject({ state: 'done', scoreNames: ['length'] });
  expect(rig.sent('evaluators.score')).toBe(before);
  const text = (await rig.textHere(check('regex', '--pattern', 'refund|return', '--plan', ...input))).stdout;
  expect(text).toContain('Checks are computed here. Nothing was sent.');
  for (const [wrong, message] of [
    [check('words', ...input), '--check expects one of equals, contains'],
    [check('regex', ...input), '--check regex expects --pattern.'],
    [check('number', '--least', 'low', ...input), '--least expects a number, got low.'],
    [
      check('number', '--least', '1e400', ...input),
      '--least expects a number between -1.8e308 and 1.8e308, got 1e400.',
    ],
    [
      check('number', '--least', '9007199254740993', ...input),
      '--least expects a number that is exact in at most 15 to 17 digits, got 9007199254740993.',
    ],
    [check('length', '--unit', 'lines', ...input), '--check length cannot be read. --unit:'],
    [check('json-schema', '--schema', '[]', ...input), '--schema expects a JSON object'],
    [check('json-schema', '--schema', '{"type":"wrong"}', ...input), 'Unsupported type: wrong'],
    [check('equals', '--ignore-case', ...input), 'Choose a source for expected.'],
    [check('length', ...input), 'Enter a least or a most value.'],
    [
      check('length', '--most', '9', '--evaluator', 'conciseness', ...input),
      'either --evaluator NAME or --check',
    ],
  ] as const) {
    const { stderr, code } = await rig.textHere(wrong);
    expect(stderr).toContain(message);
    expect(code).not.toBe(0);
  }
});

test('items in another form end the run with the reason at once; a service that is away is named while it waits', async () => {
  const items = { match: { operation: 'datasets.items' } } as const;
  let runId = '';
  for (const [text, reason, sent] of [
    ['{"items":"none"}', 'where a list is expected', 1],
    ['{"items":[{"id":{"of":1}}],"total":"many"}', 'expected a text, got an object', 2],
  ] as const) {
    const body = { api_version: '3.0', kind: 'PAGINATED', data: JSON.parse(text) };
    rig.raw.service.setFaults([{ ...items, action: { type: 'not-envelope', status: 200, body } }]);
    const { code, stderr } = await rig.textHere(rig.scores());
    expect(stderr).toContain(reason);
    runId = /^error ANSWER_INVALID: .+ scores resume ([0-9a-f-]{36})$/m.exec(stderr)?.[1] ?? '';
    expect(runId).not.toBe('');
    expect(code).toBe(1);
    expect(rig.sent('datasets.items')).toBe(sent);
  }
  await rig.here(['settings', 'set', 'mostAttempts', '1']);
  rig.raw.service.setFaults([{ ...items, times: 1, action: { type: 'status', status: 502 } }]);
  const resumed = await rig.textHere(['scores', 'resume', runId]);
  expect(resumed.stderr).toMatch(/^waiting: .+502/m);
  expect(resumed.code).toBe(0);
});

test.skipIf(process.platform !== 'linux')(
  'a command that waits for a stopped process says for which one, and what to do',
  async () => {
    // The first request is answered, because no others are sent until then.
    rig.raw.service.setFaults([
      { match: { operation: 'evaluators.score' }, after: 1, action: { type: 'hang' } },
    ]);
    const held: ChildProcess[] = [];
    const stopped = rig.cli(rig.scores(), (child) => {
      held.push(child);
      const watch = setInterval(() => {
        if (rig.faults < 2) return;
        clearInterval(watch);
        child.kill('SIGSTOP');
      }, 10);
      child.once('close', () => clearInterval(watch));
    });
    await vi.waitUntil(() => rig.faults >= 2, { timeout: 60_000 });
    const pid = held[0]?.pid;
    const other = rig.scores().with(1, 'Support answers, golden set');
    const waiting = await rig.text(other, (child) =>
      child.stderr?.on('data', (text: Buffer) => {
        if (text.toString().includes('is stopped')) child.kill('SIGKILL');
      }),
    );
    expect(waiting.stderr).toMatch(
      new RegExp(
        `^POST /v3/\\S+ waits\\. Waiting for answers: (\\d) requests are in progress, \\1 of them by another window or command \\(process ${pid}\\), the most this lane sends at once\\. Process ${pid} is stopped: continue it \\(kill -CONT ${pid}\\), or end it\\.$`,
        'm',
      ),
    );
    held[0]?.kill('SIGKILL');
    await stopped;
  },
);
