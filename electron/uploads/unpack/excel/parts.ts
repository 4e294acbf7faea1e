/** The XML parts of a workbook: an archive whose members are read as streams, so that memory stays constant. */
import { TextDecoder } from 'node:util';
import { crc32 } from 'node:zlib';
import type * as yauzl from 'yauzl';
import type { Heartbeat } from '../../heartbeat.ts';
import { isOfData } from '../unpack-stream.ts';
import { attribute, type XmlHandler, XmlProblem, XmlReader } from './xml-reader.ts';

/** A full sheet with 1,048,576 rows is smaller in practice; a larger part is a zip bomb. */
const MAX_PART_BYTES = 4_000_000_000;
/** Parts other than sheets are small, however large the workbook is. */
const MAX_SMALL_PART_BYTES = 100_000_000;

export class WorkbookParts {
  readonly #zip: yauzl.ZipFile;
  readonly #heartbeat: Heartbeat;
  /** By lower-case path, because some programs write references in another case. */
  readonly #entries = new Map<string, yauzl.Entry>();

  private constructor(zip: yauzl.ZipFile, heartbeat: Heartbeat) {
    this.#zip = zip;
    this.#heartbeat = heartbeat;
  }

  static async open(zip: yauzl.ZipFile, heartbeat: Heartbeat): Promise<WorkbookParts> {
    const parts = new WorkbookParts(zip, heartbeat);
    for await (const entry of zip.eachEntry()) {
      heartbeat.beat();
      parts.#entries.set(entry.fileName.toLowerCase(), entry);
    }
    return parts;
  }

  has(path: string): boolean {
    return this.#entries.has(path.toLowerCase());
  }

  /** Reads a small part completely; a missing part has no elements. Throws XmlProblem. */
  async read(path: string, handler: XmlHandler): Promise<void> {
    if (!this.has(path)) return;
    for await (const _piece of this.pieces(path, handler, MAX_SMALL_PART_BYTES)) this.#heartbeat.beat();
  }

  /** Passes a part to its handler in chunks and yields after each. Throws XmlProblem. */
  async *pieces(path: string, handler: XmlHandler, maxBytes = MAX_PART_BYTES): AsyncGenerator<void> {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry === undefined) throw new XmlProblem(`has no part “${path}”`);
    if (entry.isEncrypted()) throw new XmlProblem('needs a password');
    if (entry.uncompressedSize > maxBytes)
      throw new XmlProblem(`has more than ${maxBytes / 1e6} MB in “${path}”`);
    this.#heartbeat.readUntil(entry.relativeOffsetOfLocalHeader);
    const reader = new XmlReader(handler);
    let decoder: TextDecoder | null = null;
    let check = 0;
    try {
      for await (const bytes of await this.#zip.openReadStreamPromise(entry)) {
        if (!Buffer.isBuffer(bytes)) continue;
        this.#heartbeat.beat();
        check = crc32(bytes, check);
        decoder ??= decoderFor(bytes);
        reader.push(decoder.decode(bytes, { stream: true }));
        yield;
      }
      reader.push(decoder?.decode() ?? '');
      reader.end();
    } catch (problem) {
      throw asXmlProblem(problem, path);
    }
    if (check !== entry.crc32) throw new XmlProblem(`has other bytes in “${path}” than were written`);
  }
}

function asXmlProblem(problem: unknown, path: string): unknown {
  if (problem instanceof XmlProblem) return new XmlProblem(`${problem.message}, in “${path}”`);
  const isOfText = problem instanceof TypeError || problem instanceof RangeError;
  return isOfText || isOfData(problem) ? new XmlProblem(`cannot be unpacked in “${path}”`) : problem;
}

/** Throws RangeError for an unknown encoding. */
function decoderFor(head: Buffer): TextDecoder {
  const declared = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head.toString('latin1', 0, 200));
  return new TextDecoder(markedEncoding(head) ?? declared?.[1] ?? 'utf-8', { fatal: true });
}

function markedEncoding([first, second]: Buffer): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

/** The target of a reference, keyed by the reference's id. */
export interface Reference {
  /** The last word of the type, e.g. `worksheet` or `chartsheet`. */
  type: string;
  path: string;
}

/** Reads the references of a part to other parts, by reference id. Throws XmlProblem. */
export async function readReferences(parts: WorkbookParts, path: string): Promise<Map<string, Reference>> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const references = new Map<string, Reference>();
  await parts.read(`${folder}_rels/${path.slice(folder.length)}.rels`, {
    open: (name, attributes) => {
      if (name !== 'Relationship' || attribute(attributes, 'TargetMode') === 'External') return;
      const type = attribute(attributes, 'Type')?.split('/').at(-1) ?? '';
      const target = attribute(attributes, 'Target') ?? '';
      references.set(attribute(attributes, 'Id') ?? '', { type, path: resolved(folder, target) });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return references;
}

function resolved(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of (target.startsWith('/') ? target : `${folder}${target}`).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
