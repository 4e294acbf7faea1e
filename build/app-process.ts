/**
 * The process of the app for `npm start`: it is started apart from the terminal, gets each signal once, and is waited
 * for.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * Starts the app in its own process group. A terminal sends Ctrl+C to all foreground processes, so the app would
 * otherwise get two signals for one press, counting the forwarded one, and the second ends it without saving.
 */
export function startApp(executable: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(executable, [...args], { ...options, detached: process.platform !== 'win32' });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves with the app's exit code. Signals to this process are forwarded to the app, which shuts down in order. */
export function waitForEnd(child: ChildProcess): Promise<number> {
  // The listeners are never removed, because a second press may come after the app has ended and before this process
  // has.
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
