/** Searches for texts in all files below a folder, whatever their type. */
import * as fs from 'node:fs';
import * as path from 'node:path';

/** The bytes of a text in UTF-8, and in UTF-16 as JavaScript engines and some stores write it. */
function formsOf(text: string): Buffer[] {
  return [Buffer.from(text, 'utf8'), Buffer.from(text, 'utf16le')];
}

/** Whether `bytes` contains one of the texts. */
export function holdsText(bytes: Buffer, texts: readonly string[]): boolean {
  return texts.some((text) => formsOf(text).some((form) => bytes.includes(form)));
}

/** Finds the texts in files below `folder`, as `FILE: TEXT`. Files that are deleted meanwhile are skipped. */
export function findInFiles(folder: string, texts: readonly string[]): string[] {
  if (!fs.existsSync(folder))
    throw new Error(`Expected the folder ${folder} to look through; there is none.`);
  const found: string[] = [];
  for (const file of filesBelow(folder)) {
    const bytes = ifThere(() => fs.readFileSync(file));
    for (const text of texts)
      if (bytes !== null && holdsText(bytes, [text])) found.push(`${path.relative(folder, file)}: ${text}`);
  }
  return found;
}

/** Every file below a folder, even if a running browser creates and removes folders in it. */
export function filesBelow(folder: string): string[] {
  const entries = ifThere(() => fs.readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(place);
    return entry.isFile() ? [place] : [];
  });
}

/** The result; null if a file or folder that is read does not exist. */
export function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
