/**
 * Writes the Python reader of mirrors to `electron/mirror/python-text.ts`, which the window and the command line share.
 *
 *   node build/mirror-python.ts
 */
import * as fs from 'node:fs';
import * as path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../electron/mirror');
export const PYTHON_TEXT_FILE = path.join(FOLDER, 'python-text.ts');

/** The content of the generated file. */
export function pythonText(): string {
  const source = fs.readFileSync(path.join(FOLDER, 'spandeck.py'), 'utf8');
  const escaped = source.replaceAll(/[\\`]|\$\{/g, '\\$&');
  return `/** The Python reader of mirrors, made by build/mirror-python.ts from spandeck.py. Do not edit. */
export const PYTHON_READER = \`${escaped}\`;
`;
}

if (process.argv[1] === import.meta.filename) fs.writeFileSync(PYTHON_TEXT_FILE, pythonText());
