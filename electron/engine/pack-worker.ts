/**
 * The thread that creates and opens packs; `packs.ts` starts it. The passphrase comes in a message and is stored
 * nowhere.
 */
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getEnvironmentData, parentPort } from 'node:worker_threads';
import { createPackTarget, openPackSource } from '../db/pack-store.ts';
import { openPack, writePack } from '../pack/pack-file.ts';
import { systemClock } from '../platform/system.ts';
import { whenFree } from '../shared/busy-files.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { PackManifest } from '../shared/pack-model.ts';
import { VIEWS_KEY } from '../shared/saved-view.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import { manifestOf, PackSelection, packLines, planOf, takePack } from './pack-content.ts';
import { type PackTask, packTask } from './pack-task.ts';

takeFormats(getEnvironmentData);

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };
/** Factor for the space of a library with its index compared with its rows. */
const SPACE_TIMES = 2;
const onShare = (share: number) => parentPort?.postMessage({ share });

async function run(task: PackTask): Promise<unknown> {
  switch (task.kind) {
    case 'plan':
      return withSource(task, async (selection) => planOf(selection));
    case 'create':
      return create(task);
    case 'show': {
      const reader = await openPack(task.path, task.passphrase);
      const lines = reader.lines();
      const first = await lines.next();
      await lines.return(undefined);
      return manifestOf(first.done === true ? undefined : first.value);
    }
    case 'open':
      return openInto(task);
  }
}

async function withSource<T>(
  { libraryFile, layout, choice }: Extract<PackTask, { libraryFile: string }>,
  use: (selection: PackSelection) => Promise<T>,
): Promise<T> {
  const source = openPackSource({ file: libraryFile, clock: systemClock, logger });
  try {
    return await use(new PackSelection(source, layout, choice));
  } finally {
    source.close();
  }
}

function create(task: Extract<PackTask, { kind: 'create' }>) {
  return withSource(task, async (selection) => {
    const manifests: PackManifest[] = [];
    const options = {
      name: task.name,
      nowMs: task.nowMs,
      onManifest: (manifest: PackManifest) => manifests.push(manifest),
      onShare,
    };
    await writePack(task.path, task.passphrase, packLines(selection, task.choice, options));
    return { file: task.path, sizeBytes: statSync(task.path).size, manifest: manifests[0] };
  });
}

/** Creates a new library in an existing empty folder. */
async function openInto(task: Extract<PackTask, { kind: 'open' }>) {
  const reader = await openPack(task.path, task.passphrase);
  const lines = reader.lines();
  const first = await lines.next();
  const manifest = manifestOf(first.done === true ? undefined : first.value);
  const { bavail, bsize } = statfsSync(dirname(task.folder));
  const neededBytes = (manifest.contentBytes / 4) * SPACE_TIMES;
  if (neededBytes > bavail * bsize) {
    throw new AppError(
      'DISK_FULL',
      `The pack states that it contains ${numberText(Math.ceil(manifest.contentBytes / 4_000_000))} MB; ${numberText(Math.floor((bavail * bsize) / 1_000_000))} MB are free on the disk. Nothing was opened.`,
    );
  }
  reader.mayHold(manifest.contentBytes);
  const file = join(task.folder, 'library.db');
  const target = createPackTarget({ file, clock: systemClock, logger });
  try {
    const { charts, views } = await takePack(lines, manifest, task.connectionId, target, onShare);
    target.close();
    const layout = { charts: { list: charts }, [VIEWS_KEY]: views };
    writeFileSync(join(task.folder, 'layout.json'), JSON.stringify(layout), { mode: 0o600 });
    return manifest;
  } catch (problem) {
    target.close();
    for (const end of ['', '-wal', '-shm']) whenFree(() => rmSync(`${file}${end}`, { force: true }));
    throw problem;
  }
}

parentPort?.once('message', (message: unknown) => {
  run(packTask.parse(message)).then(
    (value) => parentPort?.postMessage({ value }),
    (problem: unknown) => parentPort?.postMessage({ error: toAppError(problem).toWire() }),
  );
});
