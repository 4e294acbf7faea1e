/** Every action and event of a simulation, by name. */
import type { Act } from '../stage.ts';
import { COMMAND_ACTS } from './command-acts.ts';
import { CONNECTION_ACTS } from './connection-acts.ts';
import { DATASET_ACTS } from './dataset-acts.ts';
import { ITEM_ACTS } from './item-acts.ts';
import { LIST_ACTS } from './list-acts.ts';
import { UPLOAD_ACTS } from './upload-acts.ts';
import { WORK_ACTS } from './work-acts.ts';
import { WORLD_ACTS } from './world-acts.ts';

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
