/**
 * Sends one file in a separate process and writes the cost as JSON. Arguments: `BASE_URL FILE BATCH_ROWS [AT_ONCE]`.
 */
import { readFileSync } from 'node:fs';
import { resourceUsage } from 'node:process';
import { z } from 'zod';
import { configureCollector } from '../../electron/platform/collector.ts';
import { MAX_UPLOADING } from '../../electron/uploads/uploads.ts';
import { UploadRig } from './upload-rig.ts';

const [baseUrl, file, batchRows, maxInFlight = MAX_UPLOADING] = z
  .tuple([z.string(), z.string(), z.coerce.number(), z.coerce.number().optional()])
  .parse(process.argv.slice(2));
// Sets up garbage collection as in the main process of the window.
configureCollector();
await using rig = new UploadRig({ baseUrl, token: 'bench', options: { maxInFlight } });
const mostMb = (): number => {
  const ofLinux = /VmHWM:\s+(\d+)/.exec(
    process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '',
  );
  return Number(ofLinux?.[1] ?? resourceUsage().maxRSS) / 1_024;
};
const plan = await rig.plan(file, 'Bench', { batchRows });
const columns = plan.columns.map((column) => ({ ...column, target: column.target ?? column.source }));
// Events that the rig records for tests do not count as memory of the product.
const forget = setInterval(() => {
  for (const list of [rig.jobs, rig.rig.log, rig.rig.settled]) list.length = 0;
}, 250);
const startMb = process.memoryUsage().rss / 1_048_576;
const startedAt = performance.now();
const job = await rig.uploads.createJob({ ...plan, columns }, true);
const ended = await rig.uploads.whenIdle(job.jobId);
clearInterval(forget);
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage();
const { counts, state, reason, requests } = ended;
console.log(
  JSON.stringify({
    ms,
    cpuMs: (user + system) / 1_000,
    startMb,
    mostMb: mostMb(),
    state,
    reason,
    requests,
    counts,
  }),
);
