/** A complete upload in a separate process to a service that answers at once, and the baselines to compare it with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { z } from 'zod';

const run = z.object({
  ms: z.number(),
  cpuMs: z.number(),
  startMb: z.number(),
  mostMb: z.number(),
  state: z.literal('done'),
  counts: z.object({ acknowledged: z.number() }),
});
export type UploadRun = z.infer<typeof run>;

const script = (name: string) => join(import.meta.dirname, name);

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output.');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The process ended without a line.');
}

/** Runs `work` against a quick service that waits `latencyMs` before each answer. */
export async function withQuickService<T>(latencyMs: number, work: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [script('quick-service.ts'), String(latencyMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    return await work(await firstLine(child));
  } finally {
    child.kill();
    await once(child, 'close');
  }
}

/**
 * Checks and sends a file. Throws if the upload does not succeed. `atOnce`: number of requests in flight at the same
 * time.
 */
export async function sendFile(url: string, file: string, atOnce?: number): Promise<UploadRun> {
  const args = [
    script('upload-run-child.ts'),
    url,
    file,
    '1000',
    ...(atOnce === undefined ? [] : [String(atOnce)]),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return run.parse(JSON.parse(await firstLine(child)));
}

const checkRun = z.object({ rows: z.number(), cpuMs: z.number() });

/** The rows of a file, and the processor time of its check: the lowest of `rounds` in one process. */
export async function checkFile(file: string, rounds: number): Promise<z.infer<typeof checkRun>> {
  const child = spawn(process.execPath, [script('check-run-child.ts'), file, String(rounds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return checkRun.parse(JSON.parse(await firstLine(child)));
}

/** Sends prepared bodies one after another, and reads their answers. */
export async function sendReady(url: string, body: string, count: number): Promise<void> {
  const dispatcher = new Agent({ connections: 1 });
  for (let sent = 0; sent < count; sent += 1) {
    const answer = await request(`${url}/v3/events`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      dispatcher,
    });
    JSON.parse(await answer.body.text());
  }
  await dispatcher.close();
}
