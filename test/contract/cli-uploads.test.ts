/** Uploads by the command line that are interrupted, killed (in processes) or rejected, with a real service. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SampleService, startSampleService } from '../../electron/sample-service/start-service.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { type CliResult, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { WORKSPACES } from '../helpers/workspaces.ts';

const TOKEN = 'contract-token-0123456789';
const MODEL = 'Bank churn';
const SLOW = { match: { operation: 'events.publish' }, action: { type: 'delay', delayMs: 250 } } as const;

let service: SampleService;
let folder: ReturnType<typeof temporaryFolder>;
let modelId: string;

beforeEach(async () => {
  service = await startSampleService({ token: TOKEN, imageFolder: WORKSPACES });
  folder = temporaryFolder('cli-uploads');
  modelId = JSON.parse((await cli(['models', '--json'])).stdout).items.find(
    ({ name }: { name: string }) => name === MODEL,
  ).id;
});

afterEach(async () => {
  const report = service.report();
  await service.stop();
  folder.remove();
  expect(report).toMatchObject({ overLimit: 0, beforeRetryAfter: 0, unknownRoutes: 0 });
});

function cli(args: string[], onStart?: (child: ChildProcess) => void): Promise<CliResult> {
  const all = [...args, '--base-url', service.baseUrl];
  const of = { token: TOKEN, dataDir: folder.path };
  return onStart === undefined ? runHere(all, of) : runCli(all, { ...of, onStart });
}

function write(name: string, text: string | Uint8Array): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

function published(): number {
  return service.report().operations['events.publish']?.requests ?? 0;
}

/** Sends a signal after `requests` more publish requests have arrived at the service. */
function signalAfter(requests: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL') {
  const from = published();
  return (child: ChildProcess) => {
    const watch = setInterval(() => {
      if (published() < from + requests) return;
      clearInterval(watch);
      child.kill(signal);
    }, 5);
    child.once('close', () => clearInterval(watch));
  };
}

function receiptRows(): string[][] {
  const folders = join(folder.path, 'connections');
  const files = readdirSync(folders).flatMap((id) =>
    readdirSync(join(folders, id))
      .filter((name) => name.startsWith('receipts-') && name.endsWith('.csv'))
      .map((name) => join(folders, id, name)),
  );
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',')),
  );
}

test('Ctrl-C while batches wait for a Retry-After of an hour ends the command at once and leaves nothing unknown', async () => {
  const later = { type: 'status', status: 429, retryAfterS: 3_600 } as const;
  service.setFaults([{ match: { operation: 'events.publish' }, action: later }]);
  const file = write('later.csv', churnCsv(60, 1));
  const stopped = await cli(
    ['upload', file, '--model', MODEL, '--batch-rows', '20', '--json'],
    signalAfter(1, 'SIGINT'),
  );
  expect(stopped.code).toBe(130);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ state: 'paused', unknown: 0, acknowledged: 0 });
  expect(service.events(modelId).count).toBe(0);
  service.setFaults([]);
});

test('a second Ctrl-C ends the command at once: only the batch in flight is unknown', async () => {
  const hang = { type: 'hang', isStored: true } as const;
  service.setFaults([{ match: { operation: 'events.publish' }, after: 3, action: hang }]);
  const before = service.events(modelId).count;
  const file = write('churn.csv', churnCsv(200, 1));
  const stopped = await cli(['upload', file, '--model', MODEL, '--batch-rows', '20'], (child) => {
    const watch = setInterval(() => {
      // If more than two batches are stored, the third has no answer. Several interrupts in quick succession count as
      // one.
      if (service.events(modelId).count > before + 40) child.kill('SIGINT');
    }, 100);
    child.once('close', () => clearInterval(watch));
  });
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).not.toContain('Still waiting');
  service.setFaults([]);
  const [job] = JSON.parse((await cli(['uploads', '--json'])).stdout).items;
  const stored = service.events(modelId).count - before;
  expect(stored).toBe(job.acknowledged + job.unknown);
  expect(job).toMatchObject({ rows: 200, unsent: 200 - stored });
  expect(job.unknown).toBeGreaterThan(0);
  expect(job.acknowledged).toBeGreaterThan(0);
});

test('Ctrl-C pauses an upload, and resume completes it: rows = events = ids in receipts', async () => {
  service.setFaults([SLOW]);
  const file = write('churn.csv', churnCsv(800, 1));
  const stopped = await cli(
    // There are many batches. Those in flight at the interrupt are answered, and others remain.
    ['upload', file, '--model', MODEL, '--batch-rows', '20', '--json'],
    signalAfter(3, 'SIGINT'),
  );
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toMatch(/^error CANCELLED: The upload is paused\. .*uploads resume [0-9a-f-]+$/m);
  const paused = JSON.parse(stopped.stdout);
  expect(paused).toMatchObject({ state: 'paused', unknown: 0 });
  expect(paused.acknowledged).toBeLessThan(800);
  expect(service.events(modelId).count).toBe(paused.acknowledged);

  service.setFaults([]);
  const resumed = await cli(['uploads', 'resume', '--json']);
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ state: 'done', rows: 800, acknowledged: 800 });
  const { count, ids } = service.events(modelId);
  expect(count).toBe(800);
  // Several batches are in flight at the same time, and the service stores them in the order of arrival.
  expect(
    receiptRows()
      .map((row) => row[3])
      .sort(),
  ).toEqual(ids.toSorted());
  const table = join(folder.path, 'receipts.jsonl');
  const { jobId } = JSON.parse(resumed.stdout);
  const written = JSON.parse((await cli(['export', 'receipts', '--output', table, '--json'])).stdout);
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  const upload = {
    file: { name: 'churn.csv', sha256 },
    rows: { all: 800, acknowledged: 800 },
    state: 'done',
  };
  expect(written).toMatchObject({
    rows: 800,
    source: { table: 'receipts', jobId, fileName: 'churn.csv', upload },
  });
  const receipts = readFileSync(table, 'utf8').trimEnd().split('\n');
  expect(receipts.map((line) => JSON.parse(line).event_id).sort()).toEqual(ids.toSorted());
  const none = await cli(['export', 'receipts', 'nothing', '--output', table]);
  expect(none.stderr).toContain('No upload nothing on this connection. Run uploads for the list.');
});

test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGHUP'] as const)(
  'a closed terminal, or another end by %s, pauses an upload like Ctrl-C: nothing is unknown',
  async (signal) => {
    service.setFaults([SLOW]);
    const file = write('churn.csv', churnCsv(800, 1));
    const stopped = await cli(
      ['upload', file, '--model', MODEL, '--batch-rows', '20', '--json'],
      signalAfter(3, signal),
    );
    expect(stopped.code).toBe(130);
    const paused = JSON.parse(stopped.stdout);
    expect(paused).toMatchObject({ state: 'paused', unknown: 0 });
    expect(paused.acknowledged).toBeLessThan(800);
    expect(service.events(modelId).count).toBe(paused.acknowledged);
  },
);

test('Ctrl-C while an upload is being created sends nothing without the knowledge of the user', async () => {
  service.setFaults([SLOW]);
  const file = write('churn.csv', churnCsv(500, 2));
  // The notes about the file are printed just before the job is created.
  const stopped = await cli(['upload', file, '--model', MODEL, '--batch-rows', '10', '--json'], (child) => {
    child.stderr?.once('data', () => child.kill('SIGINT'));
  });
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toMatch(/^error CANCELLED: /m);
  expect(service.events(modelId).count).toBeLessThan(500);
});

test('killed three times: resume and decide end with rows = events = rows in receipts', async () => {
  service.setFaults([SLOW]);
  const file = write('churn.csv', churnCsv(1_000, 3));
  await cli(['upload', file, '--model', MODEL, '--batch-rows', '25'], signalAfter(2, 'SIGKILL'));
  for (let kill = 0; kill < 2; kill += 1) await cli(['uploads', 'resume'], signalAfter(2, 'SIGKILL'));
  service.setFaults([]);
  const resumed = await cli(['uploads', 'resume', '--json']);
  const open = JSON.parse(resumed.stdout);
  expect(open.rows).toBe(open.acknowledged + open.unknown);
  expect(resumed.stderr).toMatch(/^error CONNECTION_LOST: .*uploads decide [0-9a-f-]+$/m);
  // Rows of another writer would be counted too. Only the user knows that nothing else writes there.
  const shown = await cli(['uploads', 'decide', '--json']);
  expect(shown.code).toBe(5);
  expect(shown.stderr).toMatch(/^error NEEDS_DECISION: .*--by-counts/m);
  const decided = await cli(['uploads', 'decide', '--by-counts', '--json']);
  expect(JSON.parse(decided.stdout)).toMatchObject({ state: 'done', acknowledged: 1_000, unknown: 0 });
  const { count, ids } = service.events(modelId);
  expect(count).toBe(1_000);
  expect(new Set(receiptRows().map(([row]) => row)).size).toBe(1_000);
  // A batch whose answer was lost has no ids. Every id in the file names an event.
  const known = receiptRows().flatMap((row) => (row[3] ? [row[3]] : []));
  expect(ids).toEqual(expect.arrayContaining(known));
  expect(new Set(known).size).toBe(known.length);
});

test('columns without a target in the model are named with the number of their values', async () => {
  const file = write('other.csv', 'CreditScore,Geographyy,Mystery\n600,France,1\n');
  const { stdout, stderr, code } = await cli(['upload', file, '--model', MODEL, '--dry-run', '--json']);
  expect(stderr).toMatch(/^Columns of the model that are missing in the file: Geography, /m);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ rows: 1, rejected: 0 },
    modelColumns: { filled: 1, total: 11 },
    ledger: {
      leftOut: ['Geographyy', 'Mystery'].map((name) => ({
        ...{ kind: 'column', name, count: 1, line: 2, reason: 'the model has no such column' },
      })),
    },
  });
  expect(code).toBe(0);
  const said = await cli(['upload', file, '--model', MODEL, '--dry-run']);
  expect(said.stdout).toMatch(/^The file fills 1 of the model's 11 columns; /);
  expect(said.stdout).toMatch(
    /^Not sent: column “Mystery”, 1 value, first in line 2: the model has no such column\.$/m,
  );
});

test('a flag replaces a value in all its rows; one that does not fit its column is rejected before the file is read', async () => {
  const file = write('replaced.csv', 'CreditScore,Geography\n600,Frankreich\n610,Frankreich\n620,Atlantis\n');
  const check = (...more: string[]) => cli(['upload', file, '--model', MODEL, '--dry-run', ...more]);
  const plain = await check();
  expect(plain.stdout).toMatch(/^3 rows = 0 good \+ 3 unusual \+ 0 bad, 1 batch\. Nothing was sent\.$/m);
  const mended = await check('--repair', 'Geography:Frankreich=France', '--json');
  expect(JSON.parse(mended.stdout)).toMatchObject({
    ...{ rows: 3, rejected: 0, unusual: 1, repaired: 2 },
    ledger: { changes: [{ rule: 'replaced', source: 'Geography', count: 2 }] },
  });
  const unfit = await check('--repair', 'Geography:Frankreich=Franken');
  expect(unfit.stderr).toMatch(/INVALID_ARGUMENT: Geography: The replacement “Franken” cannot be sent\./);
  expect(unfit.code).toBe(2);
  const unused = await check('--repair', 'Geography:Polen=Spain');
  expect(unused.stdout).toContain('Geography: no row has “Polen”, so nothing was replaced there.');
});

test('a dry run names the environments of the model if it lacks the one that was typed', async () => {
  const file = write('environment.csv', 'CreditScore,Geography\n600,France\n');
  const check = (...more: string[]) => cli(['upload', file, '--model', MODEL, '--dry-run', ...more]);
  const [type, none] = [['--env-type', 'PRE_PRODUCTION'], /has no environment/];
  expect((await check(...type, '--env-name', 'training_2025')).stderr).toMatch(
    /has no environment training_2025 \(PRE_PRODUCTION\), .* It has .*training_2024 \(PRE_PRODUCTION\)/,
  );
  expect((await check(...type)).stderr).toMatch(/has no environment PRE_PRODUCTION without a name/);
  expect((await check(...type, '--env-name', 'training_2024')).stderr).not.toMatch(none);
  expect((await check()).stderr).not.toMatch(none);
});

test('bad rows and rejected rows each fail the command with one line with the reason', async () => {
  const bad = write('bad.csv', 'CreditScore,Age\n600,40\nmany,41\n');
  const dry = await cli(['upload', bad, '--model', MODEL, '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ rows: 2, rejected: 1, bad: [{ line: 3 }] });
  expect(dry.stderr).toMatch(
    /^error FILE_MALFORMED: 1 of 2 rows cannot be sent\. Nothing was sent\. .*--policy skip/m,
  );
  expect(dry.code).toBe(1);
  const after = (policy: string) => cli(['upload', bad, '--model', MODEL, '--dry-run', '--policy', policy]);
  expect((await after('skip')).code).toBe(0);
  expect((await after('after=1')).code).toBe(0);
  expect((await after('after=0')).code).toBe(1);
  await cli(['upload', bad, '--model', MODEL, '--json']);
  expect((await cli(['uploads'])).stdout).toMatch(/^id .* rejected +refused /m);
  const out = join(folder.path, 'bad-rows.csv');
  const listed = await cli(['export', 'bad-rows', '--output', out, '--exact', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ rows: 1, source: { table: 'bad-rows' } });
  expect(readFileSync(out, 'utf8')).toMatch(/^row,line,column,value,reason\n2,3,CreditScore,many,/);
  const good = write('good.csv', 'CreditScore,Age\n600,40\n');
  const refused = await cli(['upload', good, '--model', MODEL, '--env-type', 'ELSEWHERE', '--json']);
  expect(JSON.parse(refused.stdout)).toMatchObject({ state: 'done', refused: 1, acknowledged: 0 });
  const file = join(folder.path, 'batches.jsonl');
  const id = JSON.parse(refused.stdout).jobId;
  await cli(['export', 'batches', id, '--output', file]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    ...{ batch: 1, rows: 1, state: 'refused', attempts: 1, error_code: 'BAD_REQUEST' },
    error: expect.stringContaining('env_type'),
  });
  expect(refused.stderr).toMatch(/^error BAD_REQUEST: The service refused 1 of 1 row\. .*env_type/m);
  expect(refused.code).toBe(6);
});

test('a folder of mixed files and files beside it are sent file by file, each with its own result', async () => {
  mkdirSync(join(folder.path, 'drop'));
  write('drop/a.csv.gz', gzipSync(churnCsv(7)));
  await writeParquet(
    join(folder.path, 'drop/b.parquet'),
    `SELECT * FROM read_csv('${write('b.csv', churnCsv(5))}')`,
  );
  write('drop/notes.md', '# About these files\n\nThey come from the branch in Lyon.\n');
  write('drop/notes.txt', 'About these files\n\nThey come from the branch in Lyon.\n');
  const named = write('named.csv', churnCsv(3));
  const { code, stdout, stderr } = await cli([
    ...['upload', join(folder.path, 'drop'), named, '--model', modelId, '--json'],
  ]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/notes\.md:[\s\S]*a document in Markdown without a table.* Not sent\./);
  expect(stderr).toMatch(/notes\.txt:[\s\S]*It looks like text, not like a table\. .* Not sent\./);
  expect(stderr).toMatch(/Not sent: 2 of 5 files: drop\/notes\.md, drop\/notes\.txt\./);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ file, acknowledged }) => [file, acknowledged])).toEqual([
    ['drop/a.csv.gz', 7],
    ['drop/b.parquet', 5],
    ['drop/notes.md', 0],
    ['drop/notes.txt', 0],
    ['named.csv', 3],
  ]);
  expect(answers[2]).toMatchObject({ state: 'not-sent', reason: expect.stringContaining('Markdown') });
  const bad = write('bad.csv', churnCsv(3).replace(/\n\d+,/, '\nmany,'));
  const stopped = await cli(['upload', named, bad, named, '--model', modelId, '--again', '--json']);
  expect(stopped.code).not.toBe(0);
  expect(stopped.stderr).toMatch(/Not begun: named\.csv\./);
  expect(stopped.stdout.trimEnd().split('\n')).toHaveLength(2);
});

test('a folder without a table fails, and says so of each file', async () => {
  mkdirSync(join(folder.path, 'pages'));
  write('pages/report.html', '<!DOCTYPE html>\n<html><body>Report</body></html>\n');
  write('pages/study.ipynb', '{"cells":[],"metadata":{},"nbformat":4}');
  const { code, stdout, stderr } = await cli([
    ...['upload', join(folder.path, 'pages'), '--model', modelId, '--json'],
  ]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/Expected at least one file with rows, got none among 2 files\. Nothing was sent\./);
  const answers = stdout.trimEnd().split('\n');
  expect(answers.map((line) => JSON.parse(line).state)).toEqual(['not-sent', 'not-sent']);
});
