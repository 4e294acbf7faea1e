/**
 * A service, a data folder, and for each kind of job that can start later its commands, run in this process or in
 * separate ones.
 */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { OperationId } from '../../electron/api/endpoints.ts';
import type { SampleServiceOptions } from '../../electron/sample-service/start-service.ts';
import { churnCsv } from './make-files.ts';
import { type CliResult, runCli, temporaryFolder } from './run-cli.ts';
import { type Running, runHere } from './run-here.ts';
import { RawService, TOKEN } from './sample-service.ts';

export const MODEL = 'Bank churn';
export const DATASET = 'Claims triage, edge cases';
export const FAR = ['--start-at', '2099-01-01 02:00'];
export const FAR_ISO = new Date(2099, 0, 1, 2).toISOString();

/** Interrupts a command once it waits for its start time. */
export const leave = (command: Running): void => {
  command.stderr?.on('data', (text: Buffer) => {
    if (text.toString().includes('Starts at')) command.kill('SIGINT');
  });
};

/** Kills a process once it waits for its start time. */
export const killWaiting = (child: ChildProcess): void => {
  child.stderr?.on('data', (text: Buffer) => {
    if (text.toString().includes('Starts at')) child.kill('SIGKILL');
  });
};

/** The parsed answer of a command with --json. */
export const answerOf = ({ stdout, stderr }: CliResult) => {
  if (stdout === '') throw new Error(`no answer: ${stderr}`);
  return JSON.parse(stdout);
};

/** The id in the hint that an interrupted command with `FAR` prints, by which it can be started. */
export function plannedIdOf({ code, stderr }: CliResult): string {
  const [, id] =
    /Stays planned for 1 Jan 2099 02:00: .+ with: planned start ([0-9a-f-]{36})$/m.exec(stderr) ?? [];
  if (code !== 0 || id === undefined) throw new Error(`Expected a plan, got code ${code}: ${stderr}`);
  return id;
}

export class LaterRig {
  readonly raw: RawService;
  readonly folder = temporaryFolder('cli-later');
  /** Additional environment variables for the commands. */
  readonly env: NodeJS.ProcessEnv = {};

  static async start(options: SampleServiceOptions = {}): Promise<LaterRig> {
    return new LaterRig(await RawService.start(options));
  }

  private constructor(raw: RawService) {
    this.raw = raw;
  }

  /** Ends the rig. Returns the report of the service. */
  async end() {
    const report = this.raw.service.report();
    await this.raw.service.stop();
    this.folder.remove();
    return report;
  }

  cli(args: string[], onStart?: (child: ChildProcess) => void): Promise<CliResult> {
    return this.text([...args, '--json'], onStart);
  }

  /** Number of scripted faults that have started. */
  get faults(): number {
    return this.raw.service.report().faults;
  }

  /** Runs a command in this process, for its output, stored data and requests. One command at a time. */
  here(args: string[], onStart?: (command: Running) => void): Promise<CliResult> {
    return this.textHere([...args, '--json'], onStart);
  }

  textHere(args: string[], onStart?: (command: Running) => void): Promise<CliResult> {
    return runHere([...args, '--base-url', this.raw.service.baseUrl], {
      token: TOKEN,
      dataDir: this.folder.path,
      env: this.env,
      ...(onStart === undefined ? {} : { onStart }),
    });
  }

  /** Runs a command without --json, with output for a user. */
  text(args: string[], onStart?: (child: ChildProcess) => void): Promise<CliResult> {
    return runCli([...args, '--base-url', this.raw.service.baseUrl], {
      token: TOKEN,
      dataDir: this.folder.path,
      env: this.env,
      ...(onStart === undefined ? {} : { onStart }),
    });
  }

  sent(operation: OperationId): number {
    return this.raw.service.report().operations[operation]?.requests ?? 0;
  }

  write(name: string, text: string): string {
    const file = join(this.folder.path, name);
    writeFileSync(file, text);
    return file;
  }

  /** The ids of two datasets that exist. */
  async datasetIds(): Promise<string[]> {
    const { items } = await this.raw.page(this.raw.path('datasets.list'));
    return items.map(({ id }) => String(id)).slice(0, 2);
  }

  upload(rows = 30): string[] {
    return ['upload', this.write('churn.csv', churnCsv(rows)), '--model', MODEL];
  }

  uploadFile(): string[] {
    return ['upload-file', this.write('whole.csv', churnCsv(100)), '--model', MODEL, '--part-bytes', '1000'];
  }

  deletion(): string[] {
    return ['delete-events', '--model', MODEL, '--ids', 'a,b', '--yes'];
  }

  scores(): string[] {
    return [
      'score-items',
      DATASET,
      '--evaluator',
      'conciseness',
      '--input',
      'response=expected_outputs.answer',
    ];
  }

  change(ids: readonly string[]): string[] {
    return ['update', 'datasets', ...ids, '--body', '{"active": false}'];
  }

  async fromSpans(): Promise<string[]> {
    const { items } = await this.raw.page(this.raw.path('applications.list'));
    const application = String(items[0]?.['id']);
    const body = {
      application_id: application,
      start_time: '2020-01-01T00:00:00Z',
      end_time: '2040-01-01T00:00:00Z',
      page_size: 1000,
    };
    const answer = await this.raw.call('POST', this.raw.path('spans.query'), { body });
    const found = z.array(z.looseObject({ span_type: z.string() })).parse(answer.envelope.data?.['items']);
    const file = this.write('spans.json', JSON.stringify(found.slice(0, 250)));
    const mapping = JSON.stringify({ inputs: { question: 'system.gen_ai.llm.input.user' } });
    const of = ['--create', '--application', application];
    return ['from-spans', 'Answers', ...of, '--spans', file, '--mapping', mapping];
  }
}
