/**
 * The events that a check built from a file, kept for sending. The spool file is unlinked while open, so nothing of it
 * remains however the program ends. It records from which bytes of the source each piece was built.
 */
import { readSync, writevSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { toAppError } from '../../shared/errors.ts';
import type { RowPosition } from '../readers/row-source.ts';
import type { Events } from '../validate/events.ts';

/** The events of one chunk of the source. */
interface SpooledPiece {
  /** The range of source bytes that was read for it, and their CRC-32. */
  byteStart: number;
  byteEnd: number;
  crc: number;
  /** Position of the piece's record in the spool. */
  at: number;
  bytes: number;
  jsonBytes: number;
  events: number;
  /** Position of the row after its last event; null if it has no event. */
  next: RowPosition | null;
}

export interface Spool {
  /** An open file for reading and writing, usable in every thread of this process. */
  fd: number;
  pieces: readonly SpooledPiece[];
  /** False if the check read the rest of the source without keeping its events. */
  isWhole: boolean;
  /** False if only checksums are kept and the events are built again from the source, which is then cheaper. */
  hasEvents: boolean;
}

export interface SpoolRoom {
  fd: number;
  mostBytes: number;
}

/** Writes the events of a check while it runs. */
export class SpoolWriter {
  readonly #room: SpoolRoom;
  readonly #pieces: SpooledPiece[] = [];
  #at = 0;
  #source = { byteStart: 0, byteEnd: 0, crc: 0 };
  #isWhole = true;
  readonly #hasEvents: boolean;

  constructor(room: SpoolRoom, sourceStart: number, hasEvents: boolean) {
    this.#room = room;
    this.#hasEvents = hasEvents;
    this.#source = { byteStart: sourceStart, byteEnd: sourceStart, crc: 0 };
  }

  /** Adds bytes of the source that the next piece is made from. */
  read(bytes: Buffer): void {
    const { byteEnd, crc } = this.#source;
    this.#source = { ...this.#source, byteEnd: byteEnd + bytes.length, crc: crc32(bytes, crc) };
  }

  /** Adds the events built from the bytes since the last piece. Returns false if the spool keeps no more. */
  add(events: Events): boolean {
    const record = this.#hasEvents ? events.record() : [];
    const bytes = record.reduce((sum, part) => sum + part.byteLength, 0);
    if (this.#at + bytes > this.#room.mostBytes || !this.#write(record, bytes)) {
      this.#isWhole = false;
      return false;
    }
    const last = events.count === 0 ? null : events.placeOf(events.count - 1);
    this.#pieces.push({
      ...this.#source,
      at: this.#at,
      bytes,
      jsonBytes: record[0]?.byteLength ?? 0,
      events: events.count,
      next: last === null ? null : { byteOffset: last.byteEnd, line: last.nextLine, row: last.row + 1 },
    });
    this.#at += bytes;
    this.#source = { byteStart: this.#source.byteEnd, byteEnd: this.#source.byteEnd, crc: 0 };
    return true;
  }

  /** Returns false if the disk is full. The check then continues without the spool. */
  #write(record: readonly Uint8Array[], bytes: number): boolean {
    if (bytes === 0) return true;
    try {
      return writevSync(this.#room.fd, record, this.#at) === bytes;
    } catch (problem) {
      if (toAppError(problem).code === 'DISK_FULL') return false;
      throw problem;
    }
  }

  close(): Spool {
    return {
      fd: this.#room.fd,
      pieces: this.#pieces,
      isWhole: this.#isWhole,
      hasEvents: this.#hasEvents,
    };
  }
}

/** Reads the pieces of a spool. */
export class SpoolPieces {
  readonly #fd: number;
  /** One buffer for all pieces, because discarded buffers are collected late. */
  #places = Buffer.allocUnsafeSlow(0);

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Fills `events` with the events of a piece. Throws if the spool cannot be read. */
  load({ at, bytes, jsonBytes, events: count }: SpooledPiece, events: Events): void {
    events.clear();
    events.reserve(0, jsonBytes);
    read(this.#fd, events.bytes, jsonBytes, at);
    const length = bytes - jsonBytes;
    if (this.#places.length < length) this.#places = Buffer.allocUnsafeSlow(length * 2);
    read(this.#fd, this.#places, length, at + jsonBytes);
    events.load(this.#places.subarray(0, length), count);
  }
}

function read(fd: number, into: Buffer, length: number, at: number): void {
  if (length > 0 && readSync(fd, into, 0, length, at) !== length)
    throw new Error('The spool of a checked file is shorter than it was.');
}
