/** The app's process for `npm start`: started apart from the terminal, sent each signal once, and waited for. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * Starts the app in its own process group. A terminal sends Ctrl+C to everything in the foreground, so together with
 * the forwarded signal the app would get two for one press, and the second ends it without saving.
 */
export function startApp(executable: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(executable, [...args], { ...options, detached: process.platform !== 'win32' });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves with the app's exit code. Signals to this process are forwarded to the app, which shuts down in its own
 * order.
 */
export function waitForEnd(child: ChildProcess): Promise<number> {
  // Never removed: a second press may come when the app has ended and this process has not.
  for (const signal of SIGNALS) process.on(signal, () => void child.kill(signal));
  // When npm is ended, it ends its shell without notifying this process, which then gets another parent.
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
