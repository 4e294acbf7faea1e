/** Files being prepared for upload, stored across runs: the choices made, and whether the file is unchanged. */
import type { StoredPreparation, UploadStore } from '../db/upload-store.ts';
import { AppError } from '../shared/errors.ts';
import type { PreparedUpload, UploadChoices } from '../shared/upload-preparation.ts';
import { readFileState } from './file-state.ts';
import type { Scans } from './scans.ts';
import type { Preparations, UploadsDeps } from './types.ts';

export function createPreparations(
  { store, files, clock }: Pick<UploadsDeps, 'files' | 'clock'> & { store: UploadStore },
  scans: Pick<Scans, 'get'>,
): Preparations {
  /** Preparations that were sent or discarded in this run. Later writes of the window must not restore them. */
  const ended = new Set<string>();
  return {
    keep: (preparationId: string, fileId: string, choices: UploadChoices, isRestored = false) => {
      if (isRestored) ended.delete(preparationId);
      if (ended.has(preparationId)) return;
      const { path, name } = files.resolve(fileId);
      // For a file that is missing now, the stored state is used.
      const state = files.stateOf(fileId) ?? store.preparations.fileOf(preparationId, fileId);
      if (state === null) {
        throw new AppError('FILE_NOT_FOUND', 'Expected a file that can be read. Choose the file again.');
      }
      const { sizeBytes, mtimeMs } = state;
      const nowMs = clock.nowMs();
      const times = { createdAtMs: nowMs, changedAtMs: nowMs };
      store.commit(() =>
        store.preparations.save({ preparationId, fileId, path, name, sizeBytes, mtimeMs, choices, ...times }),
      );
    },
    list: () => Promise.all(store.preparations.list().map(comeBack)),
    end: (preparationId, also = () => undefined) => {
      store.commit(() => {
        also();
        store.preparations.remove(preparationId);
      });
      ended.add(preparationId);
    },
  };

  async function comeBack(stored: StoredPreparation): Promise<PreparedUpload> {
    const { preparationId, fileId, path, name, sizeBytes, mtimeMs, choices, changedAtMs } = stored;
    const file = await files.offerAgain(fileId, path, name);
    const now = files.stateOf(fileId);
    const isChanged = now !== null && (now.sizeBytes !== sizeBytes || now.mtimeMs !== mtimeMs);
    return {
      preparationId,
      // For a missing file, only its earlier size can be shown.
      file: now === null ? { ...file, sizeBytes } : file,
      changedFrom: isChanged ? { sizeBytes, mtimeMs } : null,
      choices,
      check: now === null ? null : await checkOf(choices?.dryRunId ?? null, fileId),
      changedAtMs,
    };
  }

  /** The completed check of the file, if the file has not changed since; otherwise null. */
  async function checkOf(dryRunId: string | null, fileId: string): Promise<PreparedUpload['check']> {
    const scan = dryRunId === null ? null : store.scans.get(dryRunId);
    if (scan === null || scan.phase !== 'done') return null;
    const path = await files.findReadable(fileId, scan.plan.dialect);
    if (path === null || scan.path !== path) return null;
    const now = await readFileState(path);
    if (scan.sizeBytes !== now.sizeBytes || scan.mtimeMs !== now.mtimeMs) return null;
    return { dryRun: scans.get(scan.scanId), plan: scan.plan };
  }
}
