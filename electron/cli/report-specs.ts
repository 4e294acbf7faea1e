/** Specifications of the commands that write and verify reports. */
import { flag, text } from './command-options.ts';
import type { CommandSpec } from './command-spec.ts';

export const REPORT_SPECS = [
  {
    name: 'report',
    usage: 'KIND [NAME] [OTHER]',
    summary:
      'Write one HTML file to hand on, with its data inside and nothing loaded from elsewhere: scores BEFORE AFTER (two score runs or experiments), review [BUILD], version DATASET@NUMBER, changes A B (as diff), coverage DATASET, trace ID, board NAME (saved in the window) or alert NAME. Private fields are masked, and the file is signed with the key of this computer; verify checks it',
    options: {
      output: text,
      mask: { type: 'string', multiple: true },
      unsigned: flag,
      score: text,
      'lower-is-better': flag,
      days: text,
    },
    required: ['output'],
    operations: [],
  },
  {
    name: 'verify',
    usage: 'FILE',
    summary:
      'Check a report: compute every figure again from the data inside, and compare hashes and signature. Needs no connection and no network',
    options: { fingerprint: text },
    operations: [],
  },
] as const satisfies readonly CommandSpec[];
