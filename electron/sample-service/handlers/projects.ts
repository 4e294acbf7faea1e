/** Projects (SERVICE.md F7.4). */
import { listAnswer } from '../lists.ts';
import { madeNow, ORGANIZATION, requiredOf } from '../record-parts.ts';
import { ServiceError } from '../service-error.ts';
import type { Handlers } from './handler.ts';

/** Throws a 404 if there is no such project. */
export const requireProject = requiredOf('project', 'Project');

export const projectHandlers = {
  'projects.list': ({ stores }, request) => listAnswer(stores.resources.list('project'), request),

  'projects.create': (service, request) => {
    const { name, asset_type: assetType = 'ML_MODEL', ...rest } = request.body;
    const isTaken = service.stores.resources.list('project').some((project) => project['name'] === name);
    if (isTaken) throw new ServiceError(409, `A project is named "${name}" already.`);
    const id = service.random.uuid();
    const project = {
      ...rest,
      id,
      name,
      asset_type: assetType,
      organization: ORGANIZATION,
      ...madeNow(service),
    };
    service.stores.resources.add('project', id, null, project);
    return { kind: 'record', data: project };
  },
} satisfies Pick<Handlers, 'projects.list' | 'projects.create'>;
