/** Actions that builds have in addition to those of all jobs. All of them throw AppError. */
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

/** The job of a build. */
export const buildJob = ({ buildId }: Pick<BuildName, 'buildId'>) =>
  ({ kind: 'build', id: buildId }) as const;

export function readBuildRows(
  name: BuildName,
  query: { mapping: Mapping | null; show: BuildRowFilter; offset: number; limit: number },
): Promise<BuildRowPage> {
  return client.act('builds:read', 'rows', { ...nameOf(name), ...query });
}

/** A page of the spans that have changed at the service since they were prepared. */
export function readDifferences(name: BuildName, offset: number): Promise<BuildAnswers['differences']> {
  return client.act('builds:read', 'differences', { ...nameOf(name), offset, limit: 50 });
}

/** Changes a build, and shows the result immediately. */
export async function changeBuild(name: BuildName, change: BuildChange): Promise<void> {
  await jobs.change(buildJob(name), change, name.connectionId);
}

export function planBuild(name: BuildName): Promise<BuildPlan> {
  return jobs.plan('build', { id: name.buildId }, name.connectionId);
}

/**
 * Continues after a 422: without the spans that it named, with all spans again, or with a search in wider time ranges.
 */
export async function settleUnresolved(
  name: BuildName,
  action: UnresolvedAction,
  marginMs: number | null,
): Promise<void> {
  await changeBuild(name, { type: 'settle-unresolved', action, marginMs });
}
