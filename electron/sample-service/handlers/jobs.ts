import { listAnswer } from '../lists.ts';
import { notFound } from '../service-error.ts';
import type { Handlers } from './handler.ts';

export const jobHandlers = {
  'jobs.list': ({ jobs }, request) => listAnswer(jobs.list(), request),

  'jobs.get': ({ jobs }, request) => {
    const id = request.path('job_id');
    const job = jobs.read(id);
    if (job === null) throw notFound('Job', id);
    return { kind: 'record', data: job };
  },
} satisfies Pick<Handlers, 'jobs.list' | 'jobs.get'>;
