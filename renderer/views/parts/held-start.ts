/** Planned jobs whose start time has passed, but that wait for the computer. */

import type { Job } from '../../../electron/shared/job-contract.ts';
import { obstacleOf } from '../../lib/job-reason.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';
import { power } from '../../state/power.svelte.ts';

/** Why a due job is not started, e.g. `on battery, until the computer is plugged in`; empty if it does not wait. */
export const heldOf = (job: Job): string =>
  power.heldText(job, app.settings.all, clock.nowMs) || obstacleOf(job, clock.nowMs);
