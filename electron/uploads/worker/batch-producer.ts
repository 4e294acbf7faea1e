/** Builds batches from a file on request, each with a complete request body. */
import type { BatchSpan } from '../../db/upload-rows.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { ContentHash } from '../content-hash.ts';
import type { Source } from '../readers/open-source.ts';
import { MAX_ROW_BYTES, type RowPlace, type RowPosition } from '../readers/row-source.ts';
import type { Spool } from '../spool/spool-file.ts';
import { SpoolReader } from '../spool/spool-reader.ts';
import { EventReader } from '../validate/event-reader.ts';
import type { Events } from '../validate/events.ts';

export interface BatchLimits {
  maxRows: number;
  /** Maximum size of the whole request body. */
  maxBytes: number;
}

export interface CutBatch {
  span: BatchSpan;
  /** The request body, in its own buffer, because it is transferred between threads. */
  body: Uint8Array<ArrayBuffer>;
}

const COMMA = 0x2c;
const ROOM_TO_GROW = 1.05;
/** Number of reading buffers. Two are needed for rows that extend over the end of a chunk. */
const MAX_FREE = 4;

type EventTarget = Pick<UploadPlan, 'modelId' | 'envType' | 'envName'>;

/** The parts of the request body before and after the events (SERVICE.md S4.10). */
function bodyParts(target: EventTarget): { start: string; end: string } {
  const envName = target.envName === null ? '' : `"env_name":${JSON.stringify(target.envName)},`;
  const start = `{"model_id":${JSON.stringify(target.modelId)},"env_type":${JSON.stringify(target.envType)},${envName}"source":{"type":"EVENTS","events":[`;
  return { start, end: ']}}' };
}

/** Counts batches without building them, by the same rules as the producer. */
export class BatchCounter {
  readonly #limits: BatchLimits;
  readonly #emptyBytes: number;
  #rows = 0;
  #bytes = 0;
  #closed = 0;

  constructor(limits: BatchLimits, target: EventTarget) {
    this.#limits = limits;
    const { start, end } = bodyParts(target);
    this.#emptyBytes = Buffer.byteLength(start) + Buffer.byteLength(end);
  }

  /** True if an event of this size fits into the open batch. */
  fits(eventBytes: number): boolean {
    return this.#rows === 0 || this.#emptyBytes + this.#bytes + 1 + eventBytes <= this.#limits.maxBytes;
  }

  /** Adds a row. Returns true if the batch is full with it. */
  add(eventBytes: number): boolean {
    if (!this.fits(eventBytes)) this.close();
    this.#bytes += eventBytes + (this.#rows === 0 ? 0 : 1);
    this.#rows += 1;
    if (this.#rows < this.#limits.maxRows) return false;
    this.close();
    return true;
  }

  close(): void {
    if (this.#rows === 0) return;
    this.#closed += 1;
    this.#rows = 0;
    this.#bytes = 0;
  }

  get batches(): number {
    return this.#closed + (this.#rows === 0 ? 0 : 1);
  }
}

export interface ProducerOptions {
  path: string;
  plan: UploadPlan;
  model: ModelFacts | null;
  start: RowPosition;
  /** Set if a single batch is rebuilt. Default: the rest of the file. */
  endByte?: number;
  /** The spool of a check with the same plan and model; null to read and convert the file. */
  spool?: Spool | null;
}

/** A request body under construction. */
class OpenBody {
  readonly #end: string;
  #bytes: Buffer<ArrayBuffer>;
  #length: number;

  /** `expected`: the approximate final size in bytes. */
  constructor(target: EventTarget, expected: number) {
    const { start, end } = bodyParts(target);
    this.#end = end;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expected, start.length * 3 + end.length));
    this.#length = this.#bytes.write(start, 'utf8');
  }

  /** Adds JSON of events that are separated by commas. */
  add(json: Buffer, isFurther: boolean): void {
    this.#reserve(json.length + 1 + this.#end.length);
    if (isFurther) {
      this.#bytes[this.#length] = COMMA;
      this.#length += 1;
    }
    this.#length += json.copy(this.#bytes, this.#length);
  }

  close(): Uint8Array<ArrayBuffer> {
    this.#length += this.#bytes.write(this.#end, this.#length, 'latin1');
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(
      Math.max(this.#length + bytes, Math.ceil(this.#bytes.length * 1.5)),
    );
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** A batch under construction. It may extend over several chunks of the file. */
class OpenBatch {
  readonly #body: OpenBody;
  readonly #places: [number, number, number][] = [];
  readonly #ownIds: string[] | null;
  #rows = 0;
  #first: RowPlace | null = null;
  #last: RowPlace | null = null;

  constructor(target: EventTarget, hasOwnIds: boolean, expectedBytes: number) {
    this.#body = new OpenBody(target, expectedBytes);
    this.#ownIds = hasOwnIds ? [] : null;
  }

  /** Adds the events of a chunk from `from` to before `to`. */
  add(events: Events, from: number, to: number): void {
    if (from === to) return;
    this.#first ??= events.placeOf(from);
    this.#last = events.placeOf(to - 1);
    this.#body.add(events.jsonOf(from, to), this.#rows > 0);
    this.#rows += to - from;
    this.#addPlaces(events, from, to);
    if (this.#ownIds === null) return;
    for (let at = from; at < to; at += 1) this.#ownIds.push(events.ownIds[at] ?? '');
  }

  /** Consecutive single-line rows form one run. */
  #addPlaces({ rows, lines }: Events, from: number, to: number): void {
    let run = this.#places.at(-1);
    for (let at = from; at < to; at += 1) {
      const row = rows.at(at);
      const line = lines.at(at);
      if (run !== undefined && run[0] + run[2] === row && run[1] + run[2] === line) run[2] += 1;
      else {
        run = [row, line, 1];
        this.#places.push(run);
      }
    }
  }

  /** Null if the batch has no rows. */
  close(sha256: string): CutBatch | null {
    const [first, last] = [this.#first, this.#last];
    if (first === null || last === null) return null;
    const span: BatchSpan = {
      firstRow: first.row,
      lastRow: last.row,
      rows: this.#rows,
      firstLine: first.line,
      nextLine: last.nextLine,
      byteStart: first.byteStart,
      byteEnd: last.byteEnd,
      sha256,
      places: this.#places,
      ownIds: this.#ownIds,
    };
    return { span, body: this.#body.close() };
  }
}

export class BatchProducer {
  readonly #options: ProducerOptions;
  readonly #reader: EventReader | SpoolReader;
  /** Buffers that are reused, because garbage collection of discarded ones is late. */
  readonly #free: Buffer[] = [];
  readonly #hash = new ContentHash(MAX_ROW_BYTES * 2 + 1_000_000, ({ buffer }) => {
    if (this.#free.length < MAX_FREE) this.#free.push(Buffer.from(buffer));
  });
  readonly #hasOwnIds: boolean;
  /** Index of the next event of the last chunk. */
  #at = 0;
  /** Expected size of the next body: the size of the last one plus a margin. */
  #expectedBytes = 0;

  constructor(source: Source, options: ProducerOptions) {
    this.#options = options;
    const idColumn = options.model?.eventIdColumn ?? null;
    this.#hasOwnIds = idColumn !== null && options.plan.columns.some((column) => column.target === idColumn);
    const { spool = null, ...given } = options;
    const reading = { ...given, freeBuffer: () => this.#free.pop() };
    const onBytes = (bytes: Buffer, offset: number) => this.#hash.addBytes(bytes, offset);
    this.#reader =
      spool === null
        ? new EventReader(source, { ...reading, onBytes })
        : new SpoolReader(source, { ...reading, onBytes, spool });
  }

  /** The next batch, or null at the end. Throws read errors. */
  async next(limits: BatchLimits): Promise<CutBatch | null> {
    const { events } = this.#reader;
    const { plan } = this.#options;
    const counter = new BatchCounter(limits, plan);
    const batch = new OpenBatch(plan, this.#hasOwnIds, this.#expectedBytes);
    for (let isFull = false; !isFull; ) {
      const from = this.#at;
      while (!isFull && this.#at < events.count) {
        const size = events.sizeOf(this.#at);
        // An event that does not fit becomes the first one of the next batch.
        if (!counter.fits(size)) break;
        isFull = counter.add(size);
        this.#hash.addRow(events.byteStarts.at(this.#at), events.byteEnds.at(this.#at));
        this.#at += 1;
      }
      batch.add(events, from, this.#at);
      if (this.#at < events.count) break;
      if (!isFull && !(await this.#nextPiece())) break;
    }
    const cut = batch.close(this.#hash.cut());
    if (cut !== null) this.#expectedBytes = Math.ceil(cut.body.length * ROOM_TO_GROW);
    return cut;
  }

  /** Reads the next chunk. Returns false at the end of the file. */
  async #nextPiece(): Promise<boolean> {
    const { events } = this.#reader;
    const lastEnd = events.count === 0 ? undefined : events.byteEnds.at(events.count - 1);
    const readBytes = await this.#reader.next();
    if (lastEnd !== undefined) this.#hash.dropBefore(lastEnd);
    this.#at = 0;
    // A spool only has whole chunks, so events before the start are skipped.
    const { byteOffset } = this.#options.start;
    while (this.#at < events.count && events.byteStarts.at(this.#at) < byteOffset) this.#at += 1;
    return readBytes !== null;
  }
}
