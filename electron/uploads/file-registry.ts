/** The paths behind the file ids the window holds; the window never sees a path. */
import { basename } from 'node:path';
import type { Random } from '../core/ports.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { OfferedFile } from '../shared/upload-model.ts';
import type { FileState } from './file-state.ts';
import { openRaw, readAt } from './readers/raw-file.ts';
import { guessEncoding } from './sniff/sniff-bytes.ts';
import type { FileRegistry } from './types.ts';
import { lookAtWhole } from './whole-file-sending.ts';
import { startUploadWorker, type UploadWorker } from './worker/worker-client.ts';

const LOOK_BYTES = 4_096;

export function createFileRegistry({ random }: { random: Random }): FileRegistry {
  const paths = new Map<string, string>();
  /** Of those that could be read when they were offered. */
  const states = new Map<string, FileState>();
  // One thread for all previews: started when files are offered, so that it is ready when the first is looked at.
  let worker: UploadWorker | null = null;
  const reader = (): UploadWorker => {
    if (worker === null || worker.hasEnded) worker = startUploadWorker({ keepsProcess: false });
    return worker;
  };
  const resolve = (fileId: string): { path: string; name: string } => {
    const path = paths.get(fileId);
    if (path === undefined) {
      throw new AppError(
        'FILE_NOT_FOUND',
        'Expected a file that was dropped or chosen. Choose the file again.',
      );
    }
    return { path, name: basename(path) };
  };
  const offerAs = async (fileId: string, path: string): Promise<OfferedFile> => {
    paths.set(fileId, path);
    const name = basename(path);
    try {
      const state = await lookAt(path);
      states.set(fileId, state);
      return { fileId, name, sizeBytes: state.sizeBytes, error: null };
    } catch (problem) {
      states.delete(fileId);
      return { fileId, name, sizeBytes: 0, error: toAppError(problem).toWire() };
    }
  };
  return {
    offer: (list) => {
      reader();
      return Promise.all(list.map((path) => offerAs(random.uuid(), path)));
    },
    offerAgain: offerAs,
    stateOf: (fileId) => states.get(fileId) ?? null,
    resolve,
    inspect: (fileId, override) =>
      reader().call('inspect', { path: resolve(fileId).path, fileId, override, seed: random.next() }),
    lookAtWhole: async (fileId) => lookAtWhole(fileId, resolve(fileId)),
  };
}

/** Size and date of a file whose beginning looks like text. Throws FILE_* errors. */
async function lookAt(path: string): Promise<FileState> {
  const file = await openRaw(path);
  try {
    const head = await readAt(file.handle, path, 0, LOOK_BYTES);
    guessEncoding(file.name, head, [], head.length >= file.state.sizeBytes);
    return file.state;
  } finally {
    await file.close();
  }
}
