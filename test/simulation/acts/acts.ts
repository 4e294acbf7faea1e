import type { Act } from '../stage.ts';
import { BROWSE_ACTS } from './browse-acts.ts';
import { COMMAND_ACTS } from './command-acts.ts';
import { CONNECTION_ACTS } from './connection-acts.ts';
import { DATASET_ACTS } from './dataset-acts.ts';
import { ITEM_ACTS } from './item-acts.ts';
import { LIST_ACTS } from './list-acts.ts';
import { UPLOAD_ACTS } from './upload-acts.ts';
import { WORK_ACTS } from './work-acts.ts';
import { WORLD_ACTS } from './world-acts.ts';

/** The small actions, which are chosen between the others (see `planActs`). */
export const SMALL_ACTS: Readonly<Record<string, Act>> = BROWSE_ACTS;

export const ACTS: Readonly<Record<string, Act>> = {
  ...CONNECTION_ACTS,
  ...LIST_ACTS,
  ...UPLOAD_ACTS,
  ...DATASET_ACTS,
  ...ITEM_ACTS,
  ...WORK_ACTS,
  ...COMMAND_ACTS,
  ...WORLD_ACTS,
};

/** Every action and event of a simulation, by name. */
export const ALL_ACTS: Readonly<Record<string, Act>> = { ...ACTS, ...SMALL_ACTS };
