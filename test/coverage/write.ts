/** `node test/coverage/write.ts --write` brings the table of operations up to date; `--check` fails where it is not, or where there are gaps. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gapsOf, operationRows, withTable } from './operations-table.ts';

export const TABLE_FILE = resolve(import.meta.dirname, '../../electron/api/README.md');

const mode = process.argv[2];
if (mode !== '--write' && mode !== '--check') {
  process.stderr.write('expected --write or --check\n');
  process.exit(2);
}
const rows = operationRows();
const before = readFileSync(TABLE_FILE, 'utf8');
const after = withTable(before, rows);
if (mode === '--write') writeFileSync(TABLE_FILE, after);
const gaps = gapsOf(rows);
for (const { operation, place } of gaps) process.stdout.write(`gap: ${operation} in ${place}\n`);
const isCurrent = mode === '--write' || before === after;
if (!isCurrent) process.stdout.write('the table is not current; run with --write\n');
process.stdout.write(`${rows.length} operations, ${gaps.length} gaps\n`);
process.exitCode = isCurrent && gaps.length === 0 ? 0 : 1;
