/** Mirrors as jobs, behind the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import { USUAL_ACTIONS } from '../jobs/usual-control.ts';
import { mirrorAsJob } from '../shared/job-kinds/mirror.ts';
import type { Mirrors } from './types.ts';

export function mirrorSource(mirrors: Omit<Mirrors, 'source'>, jobs: Listing): JobSource<'mirror'> {
  return {
    kind: 'mirror',
    jobs,
    get: (id) => mirrorAsJob(mirrors.get(id)),
    create: async ({ tables, again = null }, startAtMs) => {
      const folder = again === null ? null : mirrors.get(again).folder;
      return mirrorAsJob(await mirrors.create({ tables }, { folder, startAtMs }));
    },
    control: (id, action, startAtMs) =>
      mirrorAsJob(mirrors.control(id, ownAction(USUAL_ACTIONS, action), startAtMs)),
    repeat: (id, change) => mirrorAsJob(mirrors.repeat(id, change)),
    whenRest: (id) => mirrors.whenIdle(id),
    forget: (id) => mirrors.forget(id),
    fileName: () => 'spandeck-mirror',
    writeFile: async (id, _what, path) => ({ rows: (await mirrors.chooseFolder(id, path)).rows }),
  };
}
