/** Reads answers in a process of its own and writes the most memory it had, in MB: `BASE_URL KIND TIMES`. */
import { readFileSync } from 'node:fs';
import { resourceUsage } from 'node:process';
import { z } from 'zod';
import { LibraryRig } from './library-rig.ts';

const given = z.tuple([z.string(), z.enum(['raw', 'list', 'record']), z.coerce.number()]);
const [baseUrl, kind, times] = given.parse(process.argv.slice(2));
await using rig = new LibraryRig(baseUrl, { maxAttempts: 1 });

async function readOne(index: number): Promise<void> {
  const viewId = `view ${index}`;
  if (kind === 'raw') {
    await rig.clientRig.client.request({ method: 'GET', path: `/v3/${index}` }, { priority: 'view' });
  } else if (kind === 'list') {
    await rig.read(
      { operation: 'applications.list', path: {}, query: { name: `${index}` } },
      'always',
      viewId,
    );
  } else {
    const query = { operation: 'datasets.get', path: { dataset_id: `${index}` }, query: {} };
    const { recordKey } = await rig.library.openRecord({ viewId, query, refresh: 'always' }, 'message');
    const isOver = () =>
      rig.records.some(
        (state) => state.recordKey === recordKey && state.freshness.refresh.phase !== 'loading',
      );
    await rig.until(isOver);
  }
}

await Promise.allSettled(Array.from({ length: times }, (_, index) => readOne(index)));
// Linux says it of the process alone; elsewhere it is what the system counts.
const ofLinux =
  process.platform === 'linux' ? /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) : null;
console.log(Number(ofLinux?.[1] ?? resourceUsage().maxRSS) / 1_024);
