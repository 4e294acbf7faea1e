/**
 * Reads the events of a file from the spool of a check. Events that the spool does not have are built from the file
 * itself.
 */
import { crc32 } from 'node:zlib';
import { fileChangedError } from '../file-state.ts';
import type { Source } from '../readers/open-source.ts';
import { readAt } from '../readers/raw-file.ts';
import type { RowPosition } from '../readers/row-source.ts';
import { type EventOptions, EventReader } from '../validate/event-reader.ts';
import { Events } from '../validate/events.ts';
import { PieceCheck } from './piece-check.ts';
import { type Spool, SpoolPieces } from './spool-file.ts';

type SpoolOptions = Omit<EventOptions, 'isMeasured' | 'events' | 'endByte'> & { spool: Spool };

export class SpoolReader {
  readonly events = new Events();
  readonly #source: Source;
  readonly #options: SpoolOptions;
  readonly #pieces: SpoolPieces;
  #piece: number;
  /** Position of the rows after the last event. */
  #next: RowPosition;
  #rest: EventReader | null = null;
  /** Compares the bytes from which events are built again; null if the spool has the events. */
  readonly #check: PieceCheck | null;

  constructor(source: Source, options: SpoolOptions) {
    this.#source = source;
    this.#options = options;
    const { start, spool } = options;
    this.#pieces = new SpoolPieces(spool.fd);
    const found = spool.pieces.findIndex(({ byteEnd }) => byteEnd > start.byteOffset);
    this.#piece = found < 0 ? spool.pieces.length : found;
    this.#next = start;
    const onOther = () => fileChangedError(source.name);
    this.#check = spool.hasEvents ? null : new PieceCheck(spool, this.#piece, onOther);
  }

  /**
   * Like `EventReader.next`, but the first piece may hold events before the start. Throws FILE_CHANGED if the bytes of
   * the file differ from those that were checked.
   */
  async next(): Promise<number | null> {
    if (this.#check !== null) return this.#nextAgain(this.#check);
    if (this.#rest !== null) return this.#rest.next();
    const { spool, start, path, onBytes, freeBuffer } = this.#options;
    const piece = spool.pieces[this.#piece];
    if (piece === undefined) return this.#nextOfFile();
    this.#piece += 1;
    const { byteStart, byteEnd } = piece;
    const length = byteEnd - byteStart;
    const free = freeBuffer?.();
    const into = free !== undefined && free.length >= length ? free : undefined;
    const bytes = await readAt(this.#source.handle, path, byteStart, length, into);
    if (crc32(bytes) !== piece.crc) throw fileChangedError(this.#source.name);
    const from = Math.max(start.byteOffset - byteStart, 0);
    if (from < bytes.length) onBytes(bytes.subarray(from), byteStart + from);
    this.#pieces.load(piece, this.events);
    this.#next = piece.next ?? this.#next;
    return byteEnd;
  }

  /** Builds the events again, piece by piece, each from bytes that were compared first. */
  async #nextAgain(check: PieceCheck): Promise<number | null> {
    if (this.#rest === null) {
      const { spool, onBytes, ...options } = this.#options;
      const { start, path } = options;
      const piece = spool.pieces[this.#piece];
      const before = start.byteOffset - (piece?.byteStart ?? start.byteOffset);
      if (piece !== undefined && before > 0)
        check.add(await readAt(this.#source.handle, path, piece.byteStart, before), piece.byteStart);
      this.#rest = new EventReader(this.#source, {
        ...{ ...options, events: this.events },
        ...(piece === undefined ? {} : { firstBytes: piece.byteEnd - start.byteOffset }),
        onBytes: (bytes, offset) => {
          check.add(bytes, offset);
          onBytes(bytes, offset);
        },
      });
    }
    const readBytes = await this.#rest.next();
    if (readBytes === null) check.end();
    else check.expectWhole(readBytes);
    return readBytes;
  }

  async #nextOfFile(): Promise<number | null> {
    this.events.clear();
    const { spool, ...options } = this.#options;
    if (spool.isWhole) return null;
    this.#rest = new EventReader(this.#source, { ...options, start: this.#next, events: this.events });
    return this.#rest.next();
  }
}
