/** Specifications of the commands for data kept for offline use. */
import { flag, text } from './command-options.ts';
import type { CommandSpec } from './command-spec.ts';

export const KEEP_SPECS = [
  {
    name: 'keep',
    usage: 'KIND ID',
    summary:
      'Keep something completely on this computer, to read it offline: application, dataset, experiment, model, alert-rule or chart; --plan shows the cost',
    options: { since: text, 'no-values': flag, every: text, plan: flag },
    operations: [],
  },
  {
    name: 'kept',
    usage: '[refresh|retry|resume|ready|test|schema|accept|drop ID]',
    summary:
      'List what is kept offline; read it again, say whether that ends --by a time, test it without the network, or drop it; list or accept changes of the schema of new rows',
    options: { yes: flag, by: text },
    operations: [],
  },
] as const satisfies readonly CommandSpec[];
