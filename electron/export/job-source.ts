/** Exports as jobs, behind the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import { USUAL_ACTIONS } from '../jobs/usual-control.ts';
import { exportAsJob } from '../shared/job-kinds/export.ts';
import { fileNameOf } from './files.ts';
import type { Exports } from './types.ts';

export function exportSource(exports: Omit<Exports, 'source'>, jobs: Listing): JobSource<'export'> {
  return {
    kind: 'export',
    jobs,
    get: (id) => exportAsJob(exports.get(id)),
    create: async (plan, startAtMs) =>
      exportAsJob(await exports.create(plan, { file: null, startAtMs, notBeforeMs: 0 })),
    control: (id, action, startAtMs) =>
      exportAsJob(exports.control(id, ownAction(USUAL_ACTIONS, action), startAtMs)),
    repeat: (id, change) => exportAsJob(exports.repeat(id, change)),
    whenRest: (id) => exports.whenIdle(id),
    forget: (id) => exports.forget(id),
    fileName: (id) => fileNameOf(exports.get(id).plan),
    writeFile: async (id, _what, path) => ({ rows: exports.chooseFile(id, path).rows }),
  };
}
