/** A virtual display in memory, for windows on a computer without a display. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface VirtualDisplay {
  /** Value for the environment variable DISPLAY. */
  readonly name: string;
  stop(): void;
}

/** Whether windows can be opened. */
export const hasDisplay = (env: NodeJS.ProcessEnv = process.env): boolean =>
  process.platform !== 'linux' || Boolean(env['DISPLAY']) || Boolean(env['WAYLAND_DISPLAY']);

/** Starts Xvfb, which chooses a free display number, so that several of them can run at once. */
export function startVirtualDisplay(size = '1440x900x24'): Promise<VirtualDisplay> {
  const args = ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp', '-noreset'];
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const stop = (): void => {
    process.off('exit', stop);
    child.kill('SIGTERM');
  };
  // Stops the server however this process ends.
  process.on('exit', stop);
  return new Promise((resolve, reject) => {
    let text = '';
    (child.stdio[3] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve({ name: `:${text.trim()}`, stop });
    });
    child.on('error', (error) => reject(new Error(`Xvfb could not be started: ${error.message}`)));
    child.on('exit', (code) => reject(new Error(`Xvfb ended with code ${code} before it was ready.`)));
  });
}
