/** Cuts a file into batches, each a request body that is ready to be sent, as many as are asked for. */
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
  /** Of the whole request body. */
  maxBytes: number;
}

export interface CutBatch {
  span: BatchSpan;
  /** The request body, in a buffer of its own: it is handed over from thread to thread. */
  body: Uint8Array<ArrayBuffer>;
}

const COMMA = 0x2c;
const ROOM_TO_GROW = 1.05;

type EventTarget = Pick<UploadPlan, 'modelId' | 'envType' | 'envName'>;

/** The request body around the events (SERVICE.md S4.10). */
function bodyParts(target: EventTarget): { start: string; end: string } {
  const envName = target.envName === null ? '' : `"env_name":${JSON.stringify(target.envName)},`;
  const start = `{"model_id":${JSON.stringify(target.modelId)},"env_type":${JSON.stringify(target.envType)},${envName}"source":{"type":"EVENTS","events":[`;
  return { start, end: ']}}' };
}

/** Counts batches without making them; the same rule as the producer's. */
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

  /** Does an event of this size still fit into the open batch? */
  fits(eventBytes: number): boolean {
    return this.#rows === 0 || this.#emptyBytes + this.#bytes + 1 + eventBytes <= this.#limits.maxBytes;
  }

  /** True when the batch is full with it. */
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
  /** Where a single batch is made again; the whole rest of the file without it. */
  endByte?: number;
  /** What a check by the same plan and model left of the file; null: it is read and converted. */
  spool?: Spool | null;
}

/** A request body while it grows. */
class OpenBody {
  readonly #end: string;
  #bytes: Buffer<ArrayBuffer>;
  #length: number;

  /** `expected`: about as many bytes as it will have. */
  constructor(target: EventTarget, expected: number) {
    const { start, end } = bodyParts(target);
    this.#end = end;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expected, start.length * 3 + end.length));
    this.#length = this.#bytes.write(start, 'utf8');
  }

  /** JSON with a comma after each event, without one after the last. */
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

/** One batch while it grows, over as many pieces of the file as it needs. */
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

  /** The events of a piece from `from` to the one before `to`. */
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

  /** Rows one below the other on one line each make one run. */
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

  /** Null where it holds no row. */
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
  readonly #hash = new ContentHash(MAX_ROW_BYTES * 2 + 1_000_000);
  readonly #hasOwnIds: boolean;
  /** The next event of the piece that was read last. */
  #at = 0;
  /** Of the last body, and some more. */
  #expectedBytes = 0;

  constructor(source: Source, options: ProducerOptions) {
    this.#options = options;
    const idColumn = options.model?.eventIdColumn ?? null;
    this.#hasOwnIds = idColumn !== null && options.plan.columns.some((column) => column.target === idColumn);
    const { spool = null, ...given } = options;
    const reading = { ...given, keepsBytes: true };
    const onBytes = (bytes: Buffer, offset: number) => this.#hash.addBytes(bytes, offset);
    this.#reader =
      spool === null
        ? new EventReader(source, { ...reading, onBytes })
        : new SpoolReader(source, { ...reading, onBytes, spool });
  }

  /** The next batch, or null at the end. Throws what reading throws. */
  async next(limits: BatchLimits): Promise<CutBatch | null> {
    const { events } = this.#reader;
    const { plan } = this.#options;
    const counter = new BatchCounter(limits, plan);
    const batch = new OpenBatch(plan, this.#hasOwnIds, this.#expectedBytes);
    for (let isFull = false; !isFull; ) {
      const from = this.#at;
      while (!isFull && this.#at < events.count) {
        const size = events.sizeOf(this.#at);
        // One that does not fit any more is the first of the next batch.
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

  /** False at the end of the file. */
  async #nextPiece(): Promise<boolean> {
    const { events } = this.#reader;
    const lastEnd = events.count === 0 ? undefined : events.byteEnds.at(events.count - 1);
    const readBytes = await this.#reader.next();
    if (lastEnd !== undefined) this.#hash.dropBefore(lastEnd);
    this.#at = 0;
    // A spool has whole pieces.
    const { byteOffset } = this.#options.start;
    while (this.#at < events.count && events.byteStarts.at(this.#at) < byteOffset) this.#at += 1;
    return readBytes !== null;
  }
}
