/**
 * Starts Spandeck beside the instance that Playwright drives: a second time on the same profile, or without a debugger.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { findRuntime, ROOT } from '../../build/runtime.ts';

/** The reason for `test.skip` why a spec does not run on the Chromium host. */
export const NEEDS_ELECTRON = 'Only Electron itself does this: npm test -- electron.';
export const hasElectron = (): boolean => findRuntime().name === 'Electron';

interface Start {
  readonly dataDir: string;
  /** Options of Electron itself, which come before the folder of the application. */
  readonly before?: readonly string[];
  readonly words?: readonly string[];
}

interface Started {
  readonly main: ChildProcess;
  /** Resolves with the exit code and the complete output. */
  readonly ended: Promise<{ code: number | null; text: string }>;
  /** The output so far, on standard output and standard error. */
  text(): string;
}

/** Root must start it without Chromium's sandbox, which rejects root. */
export function startSpandeck({ dataDir, before = [], words = [] }: Start): Started {
  const args = [...before, ROOT, `--data-dir=${dataDir}`, ...words];
  if (process.getuid?.() === 0) args.unshift('--no-sandbox');
  const main = spawn(findRuntime().executable, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [main.stdout, main.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const ended = new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    main.on('error', reject);
    main.on('close', (code) => resolve({ code, text }));
  });
  return { main, ended, text: () => text };
}
