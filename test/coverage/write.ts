/**
 * `node test/coverage/write.ts --write` brings the generated parts of the documents up to date (see documents.ts);
 * `--check` fails if one is not current, or if an operation has a gap.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DOCUMENT_PARTS, withPart } from './documents.ts';
import { gapsOf, operationRows } from './operations-table.ts';

const mode = process.argv[2];
if (mode !== '--write' && mode !== '--check') {
  process.stderr.write('expected --write or --check\n');
  process.exit(2);
}
let isCurrent = true;
for (const part of DOCUMENT_PARTS) {
  const file = resolve(import.meta.dirname, '../..', part.file);
  const before = readFileSync(file, 'utf8');
  const after = withPart(before, part);
  if (before === after) continue;
  if (mode === '--write') writeFileSync(file, after);
  else isCurrent = false;
  process.stdout.write(
    `${part.file}: ${part.name} ${mode === '--write' ? 'written' : 'not current; run with --write'}\n`,
  );
}
const rows = operationRows();
const gaps = gapsOf(rows);
for (const { operation, place } of gaps) process.stdout.write(`gap: ${operation} in ${place}\n`);
process.stdout.write(`${rows.length} operations, ${gaps.length} gaps\n`);
process.exitCode = isCurrent && gaps.length === 0 ? 0 : 1;
