/** Reads answers in a separate process and writes their cost as JSON. Arguments: `BASE_URL KIND TIMES`. */
import { readFileSync } from 'node:fs';
import { resourceUsage } from 'node:process';
import { z } from 'zod';
import { configureCollector } from '../../electron/platform/collector.ts';
import { LibraryRig } from './library-rig.ts';
import { turnsOf } from './turn-cost.ts';

const given = z.tuple([z.string(), z.enum(['raw', 'list', 'record', 'order']), z.coerce.number()]);
const [baseUrl, kind, times] = given.parse(process.argv.slice(2));
// Sets up garbage collection as in the main process of the window.
configureCollector();
await using rig = new LibraryRig(baseUrl, { maxAttempts: 1 });

async function readOne(index: string): Promise<void> {
  const viewId = `view ${index}`;
  if (kind === 'raw') {
    await rig.clientRig.client.request({ method: 'GET', path: `/v3/${index}` }, { priority: 'view' });
  } else if (kind === 'list' || kind === 'order') {
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

const listed = { operation: 'applications.list', path: {}, query: {} };

/**
 * Reads a list as a grid does: sorted by a nested field, filtered by a text, and with a filter and an ordering of its
 * own.
 */
async function order(name: string): Promise<void> {
  const query = { ...listed, query: { name } };
  const sort = { field: 'of.rank', isDescending: false };
  const sorted = await rig.library.readRows(
    { query, window: { offset: 0, limit: 1, sort, narrow: 'rank' } },
    'message',
  );
  const rules = [{ field: 'of.rank', operator: 'less', value: 2 }];
  const filter = JSON.stringify({ condition: 'AND', rules });
  const selected = await rig.read({ ...query, query: { name, filter, ordering: 'of.rank' } }, 'never', name);
  if (sorted.matchingRows === 0 || selected.source !== 'assumed')
    throw new Error(`Nothing was ordered: ${sorted.matchingRows} narrowed, ${selected.source}.`);
}

const LIMIT_MS = 10;
// The first request of a process compiles code that all requests use, however small the answer is.
await readOne('small');
if (kind === 'order') {
  await order('small');
  await readOne('0');
}
/** Some answers are rejected, but every list can be ordered. */
const all = kind === 'order' ? Promise.all.bind(Promise) : Promise.allSettled.bind(Promise);
const act = kind === 'order' ? order : readOne;
const { longestMs, longestGcMs, over } = await turnsOf(LIMIT_MS, () =>
  all(Array.from({ length: times }, (_, index) => act(`${index}`))),
);
// Linux reports the memory of the process alone. Elsewhere that of the system is used.
const ofLinux =
  process.platform === 'linux' ? /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) : null;
const mostMb = Number(ofLinux?.[1] ?? resourceUsage().maxRSS) / 1_024;
console.log(JSON.stringify({ mostMb, longestMs, longestGcMs, over }));
