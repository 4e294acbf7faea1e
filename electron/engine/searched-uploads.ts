/** The searchable data of uploads, row by row and of raw files. */
import type { SearchDeps } from '../library/search.ts';
import type { Uploads } from '../uploads/types.ts';

type Searched = ReturnType<SearchDeps['uploads']>;

export function searchedUploads({
  listJobs,
  wholeFiles,
}: Pick<Uploads, 'listJobs' | 'wholeFiles'>): Searched {
  const jobs = listJobs().map(({ jobId: job, fileName: name, state, plan, createdAtMs }) => {
    return { id: job, name, model: plan.modelName, note: state, atMs: createdAtMs, target: { job, name } };
  });
  const files = wholeFiles.list().map(({ id: file, name, state, startedAtMs }) => {
    return { id: file, name, model: '', note: state, atMs: startedAtMs, target: { file, name } };
  });
  return [...jobs, ...files];
}
