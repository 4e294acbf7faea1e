/** The dataset and settings of the items that were sent last, found in the builds. Pure. */
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';

/** A build whose dataset exists. */
export type SentBuild = DatasetBuild & { datasetId: string };

/** The newest build of an application that added items to this dataset, or to any dataset; null if there is none. */
export function lastSent(
  builds: readonly DatasetBuild[],
  applicationId: string,
  datasetId: string | null,
): SentBuild | null {
  const sent = builds.filter(
    (build): build is SentBuild =>
      build.applicationId === applicationId &&
      build.datasetId !== null &&
      (datasetId === null || build.datasetId === datasetId) &&
      build.counts.acknowledged > 0 &&
      build.mapping.length > 0,
  );
  const [newest] = sent.toSorted((one, other) => other.changedAtMs - one.changedAtMs);
  return newest ?? null;
}
