/** GenAI applications (SERVICE.md S4.2). */
import { listAnswer } from '../lists.ts';
import { applicationMetrics } from '../monitoring/application-metrics.ts';
import { madeNow, ORGANIZATION, referenceTo, requiredOf } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { Handlers } from './handler.ts';
import { requireProject } from './projects.ts';

/** Throws a 404 if there is no such application. */
export const requireApplication = requiredOf('application', 'Application');

/** Starts the deletion and returns its job, or returns the running job. */
function deletionJob(service: Service, id: string, application: JsonRecord): { id: string; name: string } {
  const running = service.jobs.underWay(
    (effect) => effect.type === 'delete-application' && effect.applicationId === id,
  );
  return (
    running ??
    service.jobs.start(
      'Delete application',
      {
        resource_type: 'APPLICATION',
        resource_name: application['name'],
        project: application['project'],
        resource: referenceTo(application),
      },
      { type: 'delete-application', applicationId: id },
    )
  );
}

export const applicationHandlers = {
  'applications.list': ({ stores }, request) => listAnswer(stores.resources.list('application'), request),

  'applications.create': (service, request) => {
    const { name, project_id: projectId, ...rest } = request.body;
    const project = requireProject(service, projectId);
    const isTaken = service.stores.resources
      .list('application', projectId)
      .some((application) => application['name'] === name);
    if (isTaken) {
      const message = `The project has an application named "${name}" already.`;
      throw new ServiceError(400, message, { reason: 'Conflict' });
    }
    const id = service.random.uuid();
    const application = {
      ...rest,
      id,
      name,
      project: referenceTo(project),
      organization: ORGANIZATION,
      ...madeNow(service),
    };
    service.stores.resources.add('application', id, projectId, application);
    return { kind: 'record', data: application };
  },

  'applications.get': (service, request) => ({
    kind: 'record',
    data: requireApplication(service, request.path('application_id')),
  }),

  'applications.delete': (service, request) => {
    const id = request.path('application_id');
    const application = requireApplication(service, id);
    const job = deletionJob(service, id, application);
    return { kind: 'record', data: { job, application: referenceTo(application) } };
  },

  'applications.metrics': (service, request) => {
    const application = requireApplication(service, request.path('application_id'));
    const source = request.query('source') ?? 'GENAI_CHARTS';
    if (source !== 'GENAI_CHARTS' && source !== 'GENAI_ALERTS') {
      throw malformed(`source must be GENAI_CHARTS or GENAI_ALERTS; "${source}" was sent.`);
    }
    return {
      kind: 'record',
      data: {
        application: referenceTo(application),
        project: application['project'],
        organization: ORGANIZATION,
        source,
        metrics: applicationMetrics(service.stores, String(application['id']), source),
      },
    };
  },
} satisfies Pick<
  Handlers,
  | 'applications.list'
  | 'applications.create'
  | 'applications.get'
  | 'applications.delete'
  | 'applications.metrics'
>;
