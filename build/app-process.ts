/** The app's process as `npm start` runs it: begun apart from the terminal, told once of each signal, waited for. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * In a process group of its own: a terminal sends Ctrl+C to everything in the foreground, and together with the
 * signal that is forwarded the app would get two for one press. The second ends it without saving.
 */
export function startApp(executable: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(executable, [...args], { ...options, detached: process.platform !== 'win32' });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves with the app's exit code; signals to this process reach the app, which ends in its own order. */
export function waitForEnd(child: ChildProcess): Promise<number> {
  // For good: a second press may come when the app has ended and this process has not.
  for (const signal of SIGNALS) process.on(signal, () => void child.kill(signal));
  // npm that is told to end ends its shell, and the shell tells nobody: this process is then someone else's child.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 1_000);
  child.on('exit', () => clearInterval(watch));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`The app could not be started: ${error.message}`)));
    child.on('exit', (code, signal) => {
      if (signal !== null) process.stderr.write(`The app was ended by ${signal}.\n`);
      resolve(code ?? 1);
    });
  });
}
