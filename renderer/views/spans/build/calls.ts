import type { BuildBatch } from '../../../../electron/shared/build-batch-model.ts';
import type { DatasetBuild } from '../../../../electron/shared/dataset-model.ts';
import type { PartQuery } from '../../../../electron/shared/job-contract.ts';
import { jobs } from '../../../state/jobs.svelte.ts';
import { PagedRows } from '../../../state/uploads-paged.svelte.ts';

/** The calls of a build that create items from spans, in the order of creation. */
export function callsOf(
  { connectionId, buildId }: DatasetBuild,
  states: PartQuery<'build'>['states'] = null,
): PagedRows<BuildBatch> {
  return new PagedRows((offset, limit) =>
    jobs.parts({ kind: 'build', id: buildId }, { states, offset, limit }, connectionId),
  );
}

/** A text that changes whenever a call of the build changed. */
export function callsVersion({ state, batches, changedAtMs }: DatasetBuild): string {
  return [state, batches.total, batches.acknowledged, batches.unknown, changedAtMs].join();
}
