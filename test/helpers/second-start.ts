/** Starts Spandeck beside the one that Playwright drives: a second time on its profile, or without a debugger. */
import { type ChildProcess, spawn } from 'node:child_process';
import { findRuntime, ROOT } from '../../build/runtime.ts';

/** Why a spec does not run on the Chromium host, for `test.skip`. */
export const NEEDS_ELECTRON = 'Only Electron itself does this: npm test -- electron.';
export const hasElectron = (): boolean => findRuntime().name === 'Electron';

interface Start {
  readonly dataDir: string;
  /** Options of Electron's own, before the application's folder. */
  readonly before?: readonly string[];
  readonly words?: readonly string[];
}

interface Started {
  readonly main: ChildProcess;
  /** The exit code, and the complete standard output and standard error. */
  readonly ended: Promise<{ code: number | null; text: string }>;
  /** Standard output and standard error so far. */
  text(): string;
}

/** Root starts without Chromium's sandbox, which rejects root. */
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
