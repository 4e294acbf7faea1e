/** Looks for texts in every file below a folder, whatever the files are. */
import * as fs from 'node:fs';
import * as path from 'node:path';

/** A text as bytes could hold it: UTF-8, and UTF-16 as JavaScript engines and some stores write it. */
function formsOf(text: string): Buffer[] {
  return [Buffer.from(text, 'utf8'), Buffer.from(text, 'utf16le')];
}

/** Does `bytes` hold one of the texts? */
export function holdsText(bytes: Buffer, texts: readonly string[]): boolean {
  return texts.some((text) => formsOf(text).some((form) => bytes.includes(form)));
}

/** Which of the texts lie in which files below `folder`, as `FILE: TEXT`; a file that vanishes meanwhile is passed over. */
export function findInFiles(folder: string, texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = readIfThere(file);
    for (const text of texts)
      if (bytes !== null && holdsText(bytes, [text])) found.push(`${path.relative(folder, file)}: ${text}`);
  }
  return found;
}

function readIfThere(file: string): Buffer | null {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
