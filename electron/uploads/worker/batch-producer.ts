/** Cuts a file into batches, each a request body that is ready to be sent, as many as are asked for. */
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { ContentHash } from '../content-hash.ts';
import { readRows, type Source } from '../readers/open-source.ts';
import { MAX_ROW_BYTES, type RowPosition, type SourceRow } from '../readers/row-source.ts';
import { RowValidator } from '../validate/validate.ts';

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

interface Event {
  row: SourceRow;
  json: string;
  bytes: number;
  ownId: string | null;
}

export interface ProducerOptions {
  path: string;
  plan: UploadPlan;
  model: ModelFacts | null;
  start: RowPosition;
  /** Where a single batch is made again; the whole rest of the file without it. */
  endByte?: number;
}

export class BatchProducer {
  readonly #options: ProducerOptions;
  readonly #validator: RowValidator;
  readonly #hash = new ContentHash(MAX_ROW_BYTES * 2 + 1_000_000);
  readonly #pieces: AsyncGenerator<{ rows: SourceRow[] }>;
  readonly #hasOwnIds: boolean;
  #rows: SourceRow[] = [];
  #at = 0;
  /** An event that did not fit into the last batch. */
  #held: Event | null = null;

  constructor(source: Source, options: ProducerOptions) {
    this.#options = options;
    this.#validator = new RowValidator(options.plan, source.header, options.model);
    const idColumn = options.model?.eventIdColumn ?? null;
    this.#hasOwnIds = idColumn !== null && options.plan.columns.some((column) => column.target === idColumn);
    this.#pieces = readRows(source, options.path, {
      start: options.start,
      ...(options.endByte === undefined ? {} : { endByte: options.endByte }),
      onBytes: (bytes, offset) => this.#hash.addBytes(bytes, offset),
    });
  }

  /** The next batch, or null at the end. Throws what reading throws. */
  async next(limits: BatchLimits): Promise<CutBatch | null> {
    const events: Event[] = [];
    const counter = new BatchCounter(limits, this.#options.plan);
    for (;;) {
      const event = await this.#nextEvent();
      if (event === null) break;
      if (!counter.fits(event.bytes)) {
        this.#held = event;
        break;
      }
      events.push(event);
      this.#hash.addRow(event.row.byteStart, event.row.byteEnd);
      if (counter.add(event.bytes)) break;
    }
    return events.length === 0 ? null : this.#cut(events);
  }

  async #nextEvent(): Promise<Event | null> {
    const held = this.#held;
    this.#held = null;
    if (held !== null) return held;
    for (;;) {
      const row = this.#rows[this.#at];
      if (row === undefined) {
        const isEnd = await this.#nextPiece();
        if (isEnd) return null;
        continue;
      }
      this.#at += 1;
      const checked = this.#validator.check(row);
      if ('bad' in checked) continue;
      return { row, json: checked.json, bytes: Buffer.byteLength(checked.json), ownId: checked.ownId };
    }
  }

  async #nextPiece(): Promise<boolean> {
    const lastEnd = this.#rows.at(-1)?.byteEnd;
    const piece = await this.#pieces.next();
    if (lastEnd !== undefined) this.#hash.dropBefore(lastEnd);
    if (piece.done === true) return true;
    this.#rows = piece.value.rows;
    this.#at = 0;
    return false;
  }

  #cut(events: readonly Event[]): CutBatch | null {
    const first = events[0];
    const last = events.at(-1);
    if (first === undefined || last === undefined) return null;
    const { start, end } = bodyParts(this.#options.plan);
    const bodyText = start + events.map((event) => event.json).join(',') + end;
    const ownIds = this.#hasOwnIds ? events.map((event) => event.ownId ?? '') : null;
    const span: BatchSpan = {
      firstRow: first.row.row,
      lastRow: last.row.row,
      rows: events.length,
      firstLine: first.row.line,
      nextLine: last.row.nextLine,
      byteStart: first.row.byteStart,
      byteEnd: last.row.byteEnd,
      sha256: this.#hash.cut(),
      places: placesOf(events),
      ownIds,
    };
    return { span, bodyText, bodyBytes: Buffer.byteLength(bodyText) };
  }
}

/** Rows one below the other on one line each make one run. */
function placesOf(events: readonly Event[]): [number, number, number][] {
  const runs: [number, number, number][] = [];
  for (const { row } of events) {
    const run = runs.at(-1);
    if (run !== undefined && run[0] + run[2] === row.row && run[1] + run[2] === row.line) run[2] += 1;
    else runs.push([row.row, row.line, 1]);
  }
  return runs;
}
