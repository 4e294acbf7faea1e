/**
 * A mirror of 1,000,000 rows with twenty columns: the first one, another one with 1 % new rows, and one without
 * changes. `MIRROR_ROWS=100000` measures fewer rows, and says so in each note.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { MirrorJob } from '../../electron/shared/mirror-model.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { MIRRORED, MirrorRig } from '../helpers/mirror-rig.ts';
import { turnsOf } from '../helpers/turn-cost.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHAPE_ROWS_FILE = join(import.meta.dirname, '../helpers/shape-rows.ts');
const ROWS = Number(process.env['MIRROR_ROWS'] ?? 1_000_000);
const CHANGED = Math.max(1, Math.floor(ROWS / 100));
const FIRST_MS = 10_000;
const AGAIN_MS = 1_000;
/** Maximum processor time of a turn of the main process, in milliseconds. */
const MAIN_MS = 10;
const COPIED_AT_ONCE = 1_000;

export async function run(): Promise<BenchResult[]> {
  using folder = new DataFolder();
  execFileSync(process.execPath, [SHAPE_ROWS_FILE, folder.file('library.db'), String(ROWS), '1']);
  execFileSync(process.execPath, [join(ROOT, 'build/bundle.ts')], { cwd: ROOT, stdio: 'ignore' });
  // Starts the built process, because it takes much longer to start from source.
  const built = pathToFileURL(join(ROOT, 'dist/analysis-process.js'));
  await using rig = new MirrorRig(folder, MIRRORED, systemClock, () => startNodeChild(built));
  const target = folder.file('notebooks');
  const results: BenchResult[] = [];
  const write = async (what: string, mostMs: number) => {
    const times: number[] = [];
    const ended: MirrorJob[] = [];
    const cost = await turnsOf(MAIN_MS, async () => {
      const startedAt = systemClock.monotonicMs();
      ended.push(await rig.write(target, ['rows']));
      times.push(systemClock.monotonicMs() - startedAt);
    });
    const [{ result: written = null, state = 'missing', reason = '' } = {}] = ended;
    if (state !== 'done' || written === null) throw new Error(`The mirror is ${state}: ${reason}`);
    const said = `${written.rows.toLocaleString('en-US')} rows, ${written.rowsWritten.toLocaleString('en-US')} of them written, ${(written.sizeBytes / 1e6).toFixed(0)} MB`;
    const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
    results.push(result(what, times[0] ?? Number.NaN, 'ms', mostMs, `${said}; ${load}`));
    const meanwhile = 'the longest turn of main meanwhile';
    results.push(result(meanwhile, cost.longestMs, 'ms', MAIN_MS, 'on the processor'));
  };
  await write('a mirror for the first time', FIRST_MS);
  await write('again without a change', AGAIN_MS);
  replaceFirst(rig);
  await write('again after the list was read with 1 % other rows', AGAIN_MS);
  return results;
}

/** The list as it is read again: with new rows first, as for spans, and without the oldest rows. */
function replaceFirst({ store }: MirrorRig): void {
  const { lists } = store;
  const found = lists.shownLists().find(({ query }) => query.operation === 'rows.list');
  if (found === undefined) throw new Error('Expected the list of rows.');
  const { id: before, listId } = found.shown;
  const generation = lists.begin(listId, false);
  const append = (offset: number, rows: { identity: string; record: string }[], isEnd: boolean) => {
    const page = rows.map((row) => ({ ...row, shownText: null, textId: null }));
    lists.append(generation.id, { offset, rows: page, total: ROWS, receivedAtMs: 2, requestId: 'r' }, isEnd);
  };
  for (let offset = 0; offset < CHANGED; offset += COPIED_AT_ONCE) {
    const length = Math.min(COPIED_AT_ONCE, CHANGED - offset);
    const records = [...lists.recordsFrom(before, offset, length)];
    append(
      offset,
      records.map(({ position, json }) => ({
        identity: `new ${position}`,
        record: json.replace('"country":"', '"country":"New '),
      })),
      false,
    );
  }
  const kept = ROWS - CHANGED;
  for (let offset = 0; offset < kept; offset += COPIED_AT_ONCE) {
    const length = Math.min(COPIED_AT_ONCE, kept - offset);
    const records = [...lists.recordsFrom(before, offset, length)];
    append(
      CHANGED + offset,
      records.map(({ position, json }) => ({ identity: String(position), record: json })),
      offset + length >= kept,
    );
  }
  lists.show(generation.id);
}
