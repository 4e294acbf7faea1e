/** Specification of the command that writes mirrors. */
import { text } from './command-options.ts';
import type { CommandSpec } from './command-spec.ts';

export const MIRROR_SPEC = {
  name: 'mirror',
  usage: 'FOLDER',
  summary:
    'Write the stored tables (as sql --views --kinds lists them) as Parquet files to a folder for notebooks, with a catalog and spandeck.py, which reads them in Python; later calls write only what has changed. Nothing is sent, and private fields are masked. With --repeat it is written again by itself while a window is open',
  options: { tables: text, repeat: text, 'start-at': text },
  operations: [],
} as const satisfies CommandSpec;
