/** `--plan` and `--start-at` of builds, score runs, files and deletions: own processes, a real service. */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { type CliResult, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const TIMEOUT_MS = 120_000;
const FAR = ['--start-at', '2099-01-01 02:00'];
const FAR_ISO = new Date(2099, 0, 1, 2).toISOString();
const MODEL = 'Bank churn';
const DATASET = 'Claims triage, edge cases';

let raw: RawService;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  raw = await RawService.start();
  folder = temporaryFolder('cli-later');
});
afterEach(async () => {
  const report = raw.service.report();
  await raw.service.stop();
  folder.remove();
  expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

function cli(args: string[], onStart?: (child: ChildProcess) => void): Promise<CliResult> {
  return runCli([...args, '--json', '--base-url', raw.service.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
    ...(onStart === undefined ? {} : { onStart }),
  });
}

/** Ctrl-C once it waits for its time. */
const leave = (child: ChildProcess, signal: 'SIGINT' | 'SIGKILL' = 'SIGINT') => {
  child.stderr?.on('data', (text: Buffer) => {
    if (text.toString().includes('Starts at')) child.kill(signal);
  });
};
const sent = (operation: OperationId) => raw.service.report().operations[operation]?.requests ?? 0;
const write = (name: string, text: string): string => {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
};

async function fromSpans(): Promise<string[]> {
  const { items } = await raw.page(raw.path('applications.list'));
  const application = String(items[0]?.['id']);
  const body = {
    application_id: application,
    start_time: '2020-01-01T00:00:00Z',
    end_time: '2040-01-01T00:00:00Z',
    page_size: 1000,
  };
  const answer = await raw.call('POST', raw.path('spans.query'), { body });
  const found = z.array(z.looseObject({ span_type: z.string() })).parse(answer.envelope.data?.['items']);
  const file = write('spans.json', JSON.stringify(found.slice(0, 250)));
  const mapping = JSON.stringify({ inputs: { question: 'system.gen_ai.llm.input.user' } });
  return [
    'from-spans',
    'Answers',
    '--create',
    '--application',
    application,
    '--spans',
    file,
    '--mapping',
    mapping,
  ];
}

test(
  'a build says what it costs, stays planned when it is interrupted, and is begun by hand',
  async () => {
    const command = await fromSpans();
    const plan = JSON.parse((await cli([...command, ...FAR, '--plan'])).stdout);
    expect(plan).toMatchObject({ calls: 2, startAtMs: Date.parse(FAR_ISO), problems: [] });
    expect(plan.finishAtMs).toBeGreaterThanOrEqual(plan.startAtMs);
    expect(plan.budgets.map(({ requests }: { requests: number }) => requests)).toEqual([1, 2, 2]);
    const wrong = await cli([...command, '--start-at', 'tonight']);
    expect(wrong.stderr).toMatch(/^error INVALID_ARGUMENT: --start-at expects a time such as 02:00/m);
    const planned = await cli([...command, ...FAR], (child) => leave(child));
    expect(planned.stderr).toMatch(/^Plan: 1 to .*2 to .*ends 2099-01-01 02:00/m);
    expect(planned.stderr).toMatch(/^Stays planned for 2099-01-01 02:00: .*builds resume /m);
    expect(planned.code).toBe(0);
    expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'editing', startAt: FAR_ISO, written: 0 });
    const { items } = JSON.parse((await cli(['builds'])).stdout);
    expect(items).toMatchObject([{ startAt: FAR_ISO }]);
    expect(sent('datasets.add-spans')).toBe(0);
    await cli(['builds', 'forget']);
    const killed = await cli([...command, ...FAR], (child) => leave(child, 'SIGKILL'));
    expect(killed.code).toBeNull();
    expect(JSON.parse((await cli(['builds'])).stdout).items).toMatchObject([{ startAt: FAR_ISO }]);
    const done = await cli(['builds', 'resume']);
    expect(JSON.parse(done.stdout)).toMatchObject({ state: 'done', written: 250, startAt: null });
    expect(sent('datasets.add-spans')).toBe(2);
  },
  TIMEOUT_MS,
);

test(
  'a score run says what it costs before, and stays planned when it is interrupted',
  async () => {
    const command = ['score-items', DATASET, '--evaluator', 'conciseness'];
    command.push('--input', 'response=expected_outputs.answer');
    const plan = JSON.parse((await cli([...command, '--plan'])).stdout);
    expect(plan.requests).toBeGreaterThan(1);
    expect(plan.budgets).toMatchObject([{ operation: 'POST /v3/evals/score', requests: plan.requests }]);
    const planned = await cli([...command, ...FAR], (child) => leave(child));
    expect(planned.code).toBe(0);
    expect(planned.stderr).toContain(`Plan: ${plan.requests} to `);
    expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'paused', startAt: FAR_ISO, items: 0 });
    expect(sent('evaluators.score')).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'a file and a deletion say what they cost before, and stay planned; nothing of them is sent',
  async () => {
    const file = write('churn.csv', churnCsv(100));
    const upload = ['upload-file', file, '--model', MODEL, '--part-bytes', '1000'];
    const plan = JSON.parse((await cli([...upload, '--plan'])).stdout);
    expect(plan.budgets).toHaveLength(4);
    const planned = await cli([...upload, ...FAR], (child) => leave(child));
    expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining('Stays planned')]);
    expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'scheduled', startAt: FAR_ISO });
    const deletion = ['delete-events', '--model', MODEL, '--ids', 'a,b'];
    expect(JSON.parse((await cli([...deletion, '--plan'])).stdout)).toMatchObject({
      requests: 1,
      leftToday: 30,
    });
    const later = await cli([...deletion, ...FAR], (child) => leave(child));
    expect([later.code, later.stderr]).toEqual([0, expect.stringContaining('30 left today')]);
    expect(JSON.parse(later.stdout)).toMatchObject({ status: 'scheduled', startAtMs: Date.parse(FAR_ISO) });
    expect([sent('files.multipart-init'), sent('events.delete')]).toEqual([0, 0]);
  },
  TIMEOUT_MS,
);

test(
  'what a command line planned itself it begins at its time, and ends with it',
  async () => {
    const soon = new Date(Date.now() + 12_000).toISOString();
    const command = ['delete-events', '--model', MODEL, '--ids', 'a', '--start-at', soon];
    const ended = await cli(command);
    expect(ended.stderr).toContain('Keep this running until then.');
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ startAtMs: null, jobId: expect.any(String) });
    expect(sent('events.delete')).toBe(1);
  },
  TIMEOUT_MS,
);
