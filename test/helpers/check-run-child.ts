/** Checks one file several times in a separate process and writes the lowest cost as JSON. Arguments: `FILE ROUNDS`. */
import { z } from 'zod';
import { configureCollector } from '../../electron/platform/collector.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';

const [path, rounds] = z.tuple([z.string(), z.coerce.number()]).parse(process.argv.slice(2));
configureCollector();

/** Checks a file completely, as before an upload. Returns the number of rows. */
async function check(): Promise<number> {
  const { dialect, columns } = await inspectFile({ path, fileId: 'file', override: null, seed: 1 });
  const plan: UploadPlan = {
    ...{ fileId: 'file', modelId: 'm', modelName: 'm' },
    ...{ envType: 'PRODUCTION', envName: null, mode: 'publish' },
    columns: columns.map(({ name: source, type }) => ({ source, target: source, type })),
    ...{ dialect, onBadRow: 'skip', batchRows: 1_000, maxBatchBytes: 4_000_000 },
  };
  const { rows } = await scanFile({ path, plan, model: null }, async () => undefined);
  return rows;
}

let rows = 0;
const costs: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const start = process.cpuUsage();
  rows = await check();
  const { user, system } = process.cpuUsage(start);
  costs.push((user + system) / 1_000);
}
console.log(JSON.stringify({ rows, cpuMs: Math.min(...costs) }));
