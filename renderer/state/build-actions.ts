/** What is done with one build; its answer goes where views read builds from. All throw AppError. */
import type {
  BuildPlan,
  BuildRowFilter,
  BuildRowPage,
  DatasetBuild,
  Mapping,
} from '../../electron/shared/dataset-model.ts';
import type { PlannedAction } from '../../electron/shared/planned-model.ts';
import { client } from '../lib/client.ts';
import { builds } from './builds.svelte.ts';

export interface BuildName {
  connectionId: string;
  buildId: string;
}
type BuildAction = 'commit' | 'pause' | 'resume' | 'schedule' | 'unschedule' | 'gather-evidence' | 'verify';

const nameOf = ({ connectionId, buildId }: BuildName): BuildName => ({ connectionId, buildId });

export function readBuildRows(
  name: BuildName,
  question: { mapping: Mapping | null; show: BuildRowFilter; offset: number; limit: number },
): Promise<BuildRowPage> {
  return client.invoke('builds:read-rows', { ...nameOf(name), ...question });
}

export function planBuild(name: BuildName): Promise<BuildPlan> {
  return client.invoke('builds:plan', nameOf(name));
}

/** `startAtMs`, a wall time, belongs to `schedule`. */
export async function controlBuild(
  name: BuildName,
  action: BuildAction,
  startAtMs: number | null = null,
): Promise<void> {
  builds.put(await client.invoke('builds:control', { ...nameOf(name), action, startAtMs }));
}

/** After a 422: without the spans it named, or once more, with a wider time range where one is given. */
export async function settleUnresolved(
  name: BuildName,
  action: 'exclude' | 'retry',
  marginMs: number | null,
): Promise<void> {
  builds.put(await client.invoke('builds:settle-unresolved', { ...nameOf(name), action, marginMs }));
}

export async function decideCall(
  name: BuildName,
  batch: number,
  decision: 'stored' | 'resend' | 'give-up',
): Promise<void> {
  builds.put(await client.invoke('builds:decide-batch', { ...nameOf(name), batch, decision }));
}

/** Asks where to save; null where the person cancelled. */
export function saveBuild(
  name: BuildName,
  what: 'receipts' | 'unresolved' | 'items',
): Promise<{ fileName: string; rows: number } | null> {
  return client.invoke('builds:save-file', { ...nameOf(name), what });
}

/** What can be done with a build that is to begin later, as with everything that is. */
export function controlPlanned(
  build: Pick<DatasetBuild, 'connectionId' | 'buildId' | 'state'>,
  action: PlannedAction,
  startAtMs: number | null = null,
): Promise<void> {
  const start = build.state === 'editing' ? 'commit' : 'resume';
  const actions = { start, schedule: 'schedule', cancel: 'unschedule' } as const;
  return controlBuild(build, actions[action], startAtMs);
}
