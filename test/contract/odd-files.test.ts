/**
 * The path given to a command can be anything: it is rejected at once with a message, and no file of the user is ever
 * lost.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';

const cli = cliRig('odd-files');
const MODEL = ['--model', 'Bank churn'];
const DATASET = 'Claims triage, edge cases';
const isWindows = process.platform === 'win32';

let socket: Server | null = null;
beforeEach(() => {
  socket = null;
});
afterEach(() => {
  socket?.close();
});

/** Paths of a pipe without a writer, a folder, an endless device, a socket, and a link to itself. */
async function oddFiles(): Promise<string[]> {
  const [pipe, folder, bound, loop] = [
    cli.file('p.csv'),
    cli.file('f.csv'),
    cli.file('s.csv'),
    cli.file('l.csv'),
  ];
  execFileSync('mkfifo', [pipe]);
  mkdirSync(folder);
  socket = createServer().listen(bound);
  await once(socket, 'listening');
  symlinkSync('l.csv', loop);
  return [pipe, folder, '/dev/zero', bound, loop];
}

const SPANS_OF = ['--application', 'Support assistant', '--mapping', '{"inputs":{"question":"intent"}}'];
/** Each command that reads a file. `FILE` stands for its path. */
const READERS: string[][] = [
  ['profile', 'FILE'],
  ['upload', 'FILE', ...MODEL],
  ['upload-file', 'FILE', ...MODEL],
  ['uploads', 'rerun', 'JOB', 'FILE'],
  ['items', 'add', DATASET, 'FILE'],
  ['builds', 'add', 'new', 'FILE', '--application', 'Support assistant'],
  ['from-spans', DATASET, ...SPANS_OF, '--spans', 'FILE'],
  ['pack', 'show', 'FILE'],
  ['pack', 'open', 'FILE'],
  ['settings', 'import', 'FILE'],
];
/** Each flag that takes a text, which may come through a pipe as well. */
const TEXT_READERS: string[][] = [
  ['score-items', DATASET, '--evaluator', 'conciseness', '--input', 'a=@b', '--items', 'FILE'],
  ['delete-events', ...MODEL, '--receipts', 'FILE', '--yes'],
  ['create', 'projects', '--body', '@FILE'],
];

test.skipIf(isWindows)(
  'every command that reads a file refuses a pipe, a folder, a device, a socket and a loop in words, and sends nothing',
  async () => {
    writeFileSync(cli.file('churn.csv'), churnCsv(3));
    const { jobId } = await cli.answered('upload', cli.file('churn.csv'), ...MODEL);
    const changes = () =>
      Object.entries(cli.service.report().operations)
        .filter(([name]) => /publish|create|multipart|upload|delete|score$/.test(name))
        .map(([name, { requests }]) => [name, requests]);
    const before = changes();
    const wrong: string[] = [];
    const odd = await oddFiles();
    const [pipe] = odd;
    for (const file of odd) {
      for (const reader of [...READERS, ...(file === pipe ? [] : TEXT_READERS)]) {
        const args = reader.map((each) => each.replace(/^(@?)FILE$/, `$1${file}`).replace(/^JOB$/, jobId));
        const { code, stderr } = await cli.run(...args);
        const isSaid = /^error (?!INTERNAL)[A-Z_]+: .{20}/m.test(stderr) && !stderr.includes('    at ');
        const isNamed = stderr.includes(basename(file));
        if (code === 0 || !isSaid || !isNamed) wrong.push(`${reader.join(' ')} ${file}: ${code} ${stderr}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(changes()).toEqual(before);
  },
);

test.skipIf(isWindows)(
  'a text from a pipe without a writer: the wait is reported, and Ctrl-C ends it',
  async () => {
    const [pipe = ''] = await oddFiles();
    for (const reader of TEXT_READERS) {
      const args = reader.map((each) => each.replace(/^(@?)FILE$/, `$1${pipe}`));
      const { code, stderr } = await cli.runUntil(/Waiting for a program that writes to the pipe/, ...args);
      expect(code).toBe(130);
      expect(stderr).toMatch(/Stopped while reading .+p\.csv.+ Nothing was sent\./);
    }
  },
);

/** Each command that writes a file. `FILE` stands for its path. */
const WRITERS: [string, string[]][] = [
  ['list.csv', ['export', 'datasets', '--output', 'FILE']],
  ['list.parquet', ['export', 'datasets', '--output', 'FILE']],
  ['rows.csv', ['sql', 'SELECT 1 AS a', '--output', 'FILE']],
  ['rows.arrow', ['sql', 'SELECT 1 AS a', '--output', 'FILE']],
  ['version.jsonl', ['snapshots', DATASET, '--output', 'FILE']],
  ['settings.json', ['settings', 'export', 'FILE']],
  ['requests.har', ['traffic', '--har', 'FILE']],
  ['receipts.csv', ['uploads', 'receipts', '--output', 'FILE']],
  ['coverage.csv', ['coverage', DATASET, '--output', 'FILE']],
  ['kept.pack', ['pack', 'create', '--output', 'FILE', '--dataset', DATASET]],
];

test('every command that writes a file leaves a file with the name of a partial one, links, and devices as they are', async () => {
  writeFileSync(cli.file('churn.csv'), churnCsv(3));
  await cli.answered('upload', cli.file('churn.csv'), ...MODEL);
  await cli.answered('items', DATASET, '--all');
  await cli.answered('ls', 'datasets', '--all');
  const wrong: string[] = [];
  for (const [name, writer] of WRITERS) {
    const folder = cli.file(`of ${name}`);
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    const [file, own, target] = [
      join(folder, name),
      join(folder, `${name}.part`),
      join(folder, 'elsewhere', name),
    ];
    writeFileSync(own, 'own');
    writeFileSync(target, 'old');
    symlinkSync(target, file);
    const write = (place: string) => cli.run(...writer.map((each) => (each === 'FILE' ? place : each)));
    const first = await write(file);
    const check = (isRight: boolean, what: string) => {
      if (!isRight) wrong.push(`${writer.join(' ')} (${name}): ${what} ${first.stderr}`);
    };
    check(first.code === 0, `code ${first.code}`);
    check(readFileSync(own, 'utf8') === 'own', 'the file of the person was changed');
    check(lstatSync(file).isSymbolicLink(), 'the link was replaced');
    check(readFileSync(target, 'latin1') !== 'old', 'the target of the link was not written');
    const left = readdirSync(folder).filter((each) => /part/.test(each) && each !== `${name}.part`);
    check(left.length === 0, `left ${left.join()}`);
    if (isWindows) continue;
    const full = join(folder, 'elsewhere', `full.${name.split('.').pop()}`);
    symlinkSync('/dev/full', full);
    const { code, stderr } = await write(full);
    check(code !== 0 && /^error (?!INTERNAL)/m.test(stderr), `to a device: ${code} ${stderr}`);
    check(lstatSync(full).isSymbolicLink() && statSync(full).isCharacterDevice(), 'a device was replaced');
  }
  expect(wrong).toEqual([]);
});
