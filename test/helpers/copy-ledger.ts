/** The ledger of a packed file whose columns are all sent as items of a dataset. */
import { writeFileSync } from 'node:fs';
import type { ValueLedger } from '../../electron/shared/value-ledger.ts';
import { settleItems } from '../../electron/uploads/items/settle-items.ts';
import type { FileRegistry } from '../../electron/uploads/types.ts';

/** Writes the file, unless `content` is null because it exists. `unsent`: a column that is excluded. */
export async function copyLedger(
  files: FileRegistry,
  path: string,
  content: Uint8Array | null = null,
  unsent: string | null = null,
): Promise<ValueLedger['changes']> {
  if (content !== null) writeFileSync(path, content);
  const [offered] = await files.offer([path]);
  const preview = await files.inspect(offered?.fileId ?? '', null);
  const { path: copy } = await files.readable(offered?.fileId ?? '', preview.dialect);
  const columns = preview.columns.map(({ name: source }) => ({
    ...{ source, field: source, type: 'str' as const },
    place: source === unsent ? null : ('inputs' as const),
  }));
  const reading = { dialect: preview.dialect, columns, flattens: false };
  const { ledger } = await settleItems({ path: copy, state: null, reading });
  return ledger.changes;
}
