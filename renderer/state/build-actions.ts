/** What is done with one build beside what is done with every job. All throw AppError. */
import type { BuildAnswers, BuildChange } from '../../electron/shared/dataset-contract.ts';
import type {
  BuildPlan,
  BuildRowFilter,
  BuildRowPage,
  Mapping,
  UnresolvedAction,
} from '../../electron/shared/dataset-model.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';

export interface BuildName {
  connectionId: string;
  buildId: string;
}

const nameOf = ({ connectionId, buildId }: BuildName): BuildName => ({ connectionId, buildId });

/** The same as a job. */
export const buildJob = ({ buildId }: Pick<BuildName, 'buildId'>) =>
  ({ kind: 'build', id: buildId }) as const;

export function readBuildRows(
  name: BuildName,
  question: { mapping: Mapping | null; show: BuildRowFilter; offset: number; limit: number },
): Promise<BuildRowPage> {
  return client.act('builds:read', 'rows', { ...nameOf(name), ...question });
}

/** A page of the spans that are not as they were prepared. */
export function readDifferences(name: BuildName, offset: number): Promise<BuildAnswers['differences']> {
  return client.act('builds:read', 'differences', { ...nameOf(name), offset, limit: 50 });
}

/** What follows from it is shown at once. */
export async function changeBuild(name: BuildName, change: BuildChange): Promise<void> {
  await jobs.change(buildJob(name), change, name.connectionId);
}

export function planBuild(name: BuildName): Promise<BuildPlan> {
  return jobs.plan('build', { id: name.buildId }, name.connectionId);
}

/** After a 422: without the spans it named, once more, or looked for in wider and wider time ranges. */
export async function settleUnresolved(
  name: BuildName,
  action: UnresolvedAction,
  marginMs: number | null,
): Promise<void> {
  await changeBuild(name, { type: 'settle-unresolved', action, marginMs });
}
