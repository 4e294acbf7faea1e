/** Whether the steps that exist in both kinds of workspaces are done. Reactive. */
import { app } from '../../state/app.svelte.ts';
import { MADE_DATASET } from '../../state/first-steps.svelte.ts';
import { jobs } from '../../state/jobs.svelte.ts';

const isEnded = ({ state }: { state: string }): boolean => state === 'done';

export const isDatasetMade = (): boolean =>
  jobs.ofKind('build').some(isEnded) || app.keep.follow(MADE_DATASET) === true;

export const isFileSent = (): boolean => [...jobs.ofKind('upload'), ...jobs.ofKind('file')].some(isEnded);
