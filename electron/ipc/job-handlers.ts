/** Durable jobs of every kind. */
import { join } from 'node:path';
import { showInFolder } from '../platform/dialogs.ts';
import { AppError } from '../shared/errors.ts';
import type { Job } from '../shared/job-contract.ts';
import { CATALOG_FILE } from '../shared/mirror-model.ts';
import { askedAgain, type HandlerDeps, type HandlersOf } from './handler-deps.ts';
import { saveAs, saveInFolder } from './save-dialog.ts';

export function jobHandlers(deps: HandlerDeps): HandlersOf<'jobs' | 'bulk'> {
  const { engine } = deps;
  const jobs = async (connectionId: string) => (await engine.session(connectionId)).jobs;
  /** The session for actions that send at once, so that a rejected token is tried once more. */
  const asked = async (connectionId: string) => (await askedAgain(engine, connectionId)).jobs;
  return {
    'jobs:create': async ({ connectionId, kind, plan, startAtMs }, readsNow) => {
      const own = await asked(connectionId);
      const { id } = await own.create(kind, plan, startAtMs ?? null);
      readsNow();
      return own.get(kind, id);
    },
    'jobs:plan': async ({ connectionId, kind, ...of }) =>
      // The estimate for offline data reads first pages of lists.
      (await (kind === 'keep-offline' ? asked : jobs)(connectionId)).plan(kind, of),
    'jobs:change': async ({ connectionId, kind, id, change }, readsNow) => {
      const sends = 'type' in change && (change.type === 'pick-all' || change.type === 'settle-unresolved');
      const own = await (sends ? asked : jobs)(connectionId);
      await own.change(kind, id, change);
      readsNow();
      return own.get(kind, id);
    },
    'jobs:list': async ({ connectionId, ...query }) => (await jobs(connectionId)).list(query),
    'jobs:control': async ({ connectionId, kind, id, action, startAtMs }, readsNow) => {
      const own = await asked(connectionId);
      if (kind === 'export' && action === 'show-file') showInFolder(fileOfExport(own.get(kind, id)));
      else if (kind === 'mirror' && action === 'show-file') showInFolder(catalogOfMirror(own.get(kind, id)));
      else await own.control(kind, id, action, startAtMs ?? null);
      readsNow();
      return own.get(kind, id);
    },
    'jobs:repeat': async ({ connectionId, kind, id, change }) =>
      (await jobs(connectionId)).repeat(kind, id, change),
    'jobs:decide': async ({ connectionId, kind, id, part, decision }, readsNow) => {
      const own = await asked(connectionId);
      await own.decide(kind, id, part, decision);
      readsNow();
      return own.get(kind, id);
    },
    'jobs:parts': async ({ connectionId, kind, id, states, offset, limit }) =>
      (await jobs(connectionId)).parts(kind, id, { states, offset, limit }),
    'jobs:forget': async ({ connectionId, kind, id }) => {
      await (await jobs(connectionId)).forget(kind, id);
      return null;
    },
    'jobs:save': async ({ connectionId, kind, id, what }) => {
      const own = await jobs(connectionId);
      const write = (path: string) => own.save(kind, id, what, path);
      return kind === 'mirror'
        ? saveInFolder(deps, write)
        : saveAs(deps, own.fileName(kind, id, what), write);
    },
  };
}

/**
 * The file of an export. The page names only the job, because only the main process knows the path. Throws
 * INVALID_ARGUMENT before the job is finished.
 */
export function fileOfExport({ own }: Job<'export'>): string {
  if (own.state !== 'done' || own.file === null)
    throw new AppError('INVALID_ARGUMENT', 'Expected a finished export: its file does not exist yet.');
  return own.file;
}

function catalogOfMirror({ own }: Job<'mirror'>): string {
  if (own.state !== 'done' || own.folder === null)
    throw new AppError('INVALID_ARGUMENT', 'Expected a finished mirror: its catalog does not exist yet.');
  return join(own.folder, CATALOG_FILE);
}
