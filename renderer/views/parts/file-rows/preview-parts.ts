/** The rows of a file that the preview can show. */
import type { FilePreview, RowStart } from '../../../../electron/shared/upload-model.ts';
import { formatCount } from '../../../lib/format.ts';
import type { CheckedRows } from '../../../state/checked-rows.svelte.ts';

/** Parts that have rows. If only one kind of problem is shown, its rows replace the rows with problems. */
export function previewParts(
  { head, sample }: Pick<FilePreview, 'head' | 'sample'>,
  problems: readonly RowStart[],
  { bad, unusual }: { bad: readonly RowStart[]; unusual: readonly RowStart[] },
): { value: CheckedRows['part']; title: string }[] {
  const isMixed = bad.length > 0 && unusual.length > 0;
  return [
    { value: 'head', title: `First ${formatCount(head.length, 'row')}`, isThere: true },
    { value: 'sample', title: formatCount(sample.length, 'random row'), isThere: sample.length > 0 },
    { value: 'problems', title: 'Rows with problems', isThere: problems.length > 0 },
    { value: 'bad', title: 'Bad', isThere: isMixed },
    { value: 'unusual', title: 'Unusual', isThere: isMixed },
  ].flatMap(({ value, title, isThere }) => (isThere ? [{ value: value as CheckedRows['part'], title }] : []));
}
