/** Fields of a report, and writing the report. */

import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type { ReportAnswers } from '../../../electron/shared/report-model.ts';
import { scenario } from './scenario.ts';

const FIELDS = [
  ...(['position:No.', 'item_id:Item', 'title:Input', 'before:Before', 'after:After'] as const),
  ...(['label_before:Label before', 'label_after:Label after', 'failure_kind:Failure kind'] as const),
  ...(['trace:Trace', 'reasoning_after:Reason after', 'problem:Problem'] as const),
];

export function reports({
  action,
}: ParsedArgs<'reports:act'>): ReportAnswers[keyof ReportAnswers] | Promise<never> {
  const { report } = scenario;
  if (report === 'slow') return new Promise<never>(() => undefined);
  if (report === 'failed')
    throw new AppError(
      'NOT_STORED',
      'No values of this board are stored on this computer. Open the board once, then try again.',
    );
  if (action === 'write')
    return {
      ...{
        title: 'conciseness',
        rows: 62,
        sizeBytes: 48_000,
        masked: [],
        unsigned: '',
        fileName: 'conciseness.html',
      },
      fingerprint: 'SHA256:82d4 bd5d 1a41 c2de b1bb 83f5 e3f9 d742 f457 5f06',
    };
  const fields = FIELDS.map((typed) => {
    const [name = '', title = ''] = typed.split(':');
    const isUsual = name !== 'reasoning_after' && name !== 'problem';
    return { name, title, isUsual, isPrivate: report === 'private' && name === 'title' };
  });
  return { title: 'conciseness: draft and answer', rows: 62, fields, hasKeychain: report !== 'private' };
}
