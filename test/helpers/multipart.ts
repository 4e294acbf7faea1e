/** Bodies of multipart/form-data: bodies that a client sends, and bodies that a server received. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { FilePart } from '../../electron/api/multipart.ts';
import { DataFolder } from './data-folder.ts';
import type { Received } from './scripted-server.ts';

export const FILE_RECORD = {
  api_version: '3.0',
  kind: 'NORMAL',
  data: { id: 'f-1', filename: 'events.csv', type: 'CSV', status: 'SUCCESSFUL' },
};

export function textFile(name: string, text: string): FilePart {
  return { name, source: { kind: 'bytes', bytes: new TextEncoder().encode(text) } };
}

export function dataFolder(later: (cleanUp: () => unknown) => void): DataFolder {
  const made = new DataFolder();
  later(() => made[Symbol.dispose]());
  return made;
}

/** A file on disk with this text, or with this number of bytes. */
export function fileOnDisk(at: DataFolder, content: number | string): { path: string; part: FilePart } {
  const path = at.file('events.csv');
  writeFileSync(path, typeof content === 'string' ? content : Buffer.alloc(content, 'a,b\n'));
  return { path, part: { name: 'events.csv', source: { kind: 'file', path } } };
}

export interface Generated {
  part: FilePart;
  sizeBytes: number;
  sha256: string;
  /** Number of bytes that were read, over all attempts. */
  pulledBytes: number;
  opened: number;
  closed: number;
}

/** A file that exists only while it is read: `chunks` chunks with the same content, each after its number. */
export function generatedFile(name: string, chunks: number, chunkBytes = 64 * 1_024): Generated {
  const filler = Buffer.alloc(chunkBytes - 8, 'spandeck\n');
  const chunk = (number: number) => Buffer.concat([Buffer.from(String(number).padStart(8, '0')), filler]);
  const hash = createHash('sha256');
  for (let number = 0; number < chunks; number += 1) hash.update(chunk(number));
  const sizeBytes = chunks * chunkBytes;
  const file: Generated = {
    part: { name, source: { kind: 'stream', sizeBytes, open: () => read() } },
    sizeBytes,
    sha256: hash.digest('hex'),
    pulledBytes: 0,
    opened: 0,
    closed: 0,
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    file.opened += 1;
    try {
      for (let number = 0; number < chunks; number += 1) {
        file.pulledBytes += chunkBytes;
        yield chunk(number);
      }
    } finally {
      file.closed += 1;
    }
  }
  return file;
}

/** The parts of a received body, parsed by another implementation: texts unchanged, files as name and hash. */
export async function partsOf(request: Received): Promise<Record<string, unknown>> {
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(request.bytes, { headers: { 'Content-Type': type } }).formData();
  const entries = await Promise.all(
    [...form.entries()].map(async ([name, value]): Promise<[string, unknown]> => {
      if (typeof value === 'string') return [name, value];
      const sha256 = createHash('sha256')
        .update(await value.bytes())
        .digest('hex');
      return [name, { name: value.name, sizeBytes: value.size, sha256 }];
    }),
  );
  return Object.fromEntries(entries);
}
