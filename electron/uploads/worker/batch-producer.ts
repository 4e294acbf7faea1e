/** Cuts a file into batches, each a request body that is ready to be sent, as many as are asked for. */
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { ContentHash } from '../content-hash.ts';
import type { Source } from '../readers/open-source.ts';
import { MAX_ROW_BYTES, type RowPlace, type RowPosition } from '../readers/row-source.ts';
import { EventReader } from '../validate/event-reader.ts';
import type { Events } from '../validate/events.ts';

export interface BatchLimits {
  maxRows: number;
  /** Of the whole request body. */
  maxBytes: number;
}

/** Where a batch lies in the file. Bad rows in between are not part of it. */
interface BatchSpan {
  firstRow: number;
  lastRow: number;
  rows: number;
  firstLine: number;
  /** Line on which the row after the last one begins. */
  nextLine: number;
  byteStart: number;
  byteEnd: number;
  /** Hash of the bytes of its rows. */
  sha256: string;
  /** [first row, first line, count] of consecutive rows of one line each. */
  places: [number, number, number][];
  /** Event ids that the rows carry, where the model takes them from a column. */
  ownIds: string[] | null;
}

export interface CutBatch {
  span: BatchSpan;
  bodyText: string;
  bodyBytes: number;
}

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
}

/** One batch while it grows, over as many pieces of the file as it needs. */
class OpenBatch {
  readonly #texts: string[] = [];
  readonly #places: [number, number, number][] = [];
  readonly #ownIds: string[] | null;
  #rows = 0;
  #bytes = 0;
  #first: RowPlace | null = null;
  #last: RowPlace | null = null;

  constructor(hasOwnIds: boolean) {
    this.#ownIds = hasOwnIds ? [] : null;
  }

  /** The events of a piece from `from` to the one before `to`. */
  add(events: Events, from: number, to: number): void {
    if (from === to) return;
    this.#first ??= events.placeOf(from);
    this.#last = events.placeOf(to - 1);
    const text = events.textOf(from, to);
    this.#texts.push(text);
    this.#rows += to - from;
    this.#bytes += events.bytesOf(from, to) + 1;
    this.#addPlaces(events, from, to);
    for (let at = from; at < to; at += 1) this.#ownIds?.push(events.ownIds[at] ?? '');
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
  close(target: EventTarget, sha256: string): CutBatch | null {
    const [first, last] = [this.#first, this.#last];
    if (first === null || last === null) return null;
    const { start, end } = bodyParts(target);
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
    // One comma less than there are pieces.
    const bodyBytes = Buffer.byteLength(start) + this.#bytes - 1 + Buffer.byteLength(end);
    return { span, bodyText: start + this.#texts.join(',') + end, bodyBytes };
  }
}

export class BatchProducer {
  readonly #options: ProducerOptions;
  readonly #reader: EventReader;
  readonly #hash = new ContentHash(MAX_ROW_BYTES * 2 + 1_000_000);
  readonly #hasOwnIds: boolean;
  /** The next event of the piece that was read last. */
  #at = 0;

  constructor(source: Source, options: ProducerOptions) {
    this.#options = options;
    const idColumn = options.model?.eventIdColumn ?? null;
    this.#hasOwnIds = idColumn !== null && options.plan.columns.some((column) => column.target === idColumn);
    this.#reader = new EventReader(source, {
      ...options,
      onBytes: (bytes, offset) => this.#hash.addBytes(bytes, offset),
    });
  }

  /** The next batch, or null at the end. Throws what reading throws. */
  async next(limits: BatchLimits): Promise<CutBatch | null> {
    const { events } = this.#reader;
    const counter = new BatchCounter(limits, this.#options.plan);
    const batch = new OpenBatch(this.#hasOwnIds);
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
    return batch.close(this.#options.plan, this.#hash.cut());
  }

  /** False at the end of the file. */
  async #nextPiece(): Promise<boolean> {
    const { events } = this.#reader;
    const lastEnd = events.count === 0 ? undefined : events.byteEnds.at(events.count - 1);
    const readBytes = await this.#reader.next();
    if (lastEnd !== undefined) this.#hash.dropBefore(lastEnd);
    this.#at = 0;
    return readBytes !== null;
  }
}
