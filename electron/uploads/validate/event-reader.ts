/** Reads a file as events in chunks. Its rows are read, checked and converted in one pass. */

import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { ProblemGroup } from '../../shared/upload-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { decoderFor } from '../readers/encoding.ts';
import { notesOf, readRows, type Source, signsOf } from '../readers/open-source.ts';
import { ReadingFacts } from '../readers/reading-facts.ts';
import type { RowPosition } from '../readers/row-source.ts';
import { CellEncoder } from './cell-encoder.ts';
import { Events } from './events.ts';
import { LineEncoder } from './line-encoder.ts';
import type { ReadingPlan } from './reading-plan.ts';
import type { SettledColumns } from './settle-columns.ts';
import { readingPlan } from './settle-columns.ts';
import { RowValidator } from './validate.ts';

/** Maximum number of rows and values that are converted one at a time, relative to the number of rows. */
const MAX_SLOW_SHARE = 0.1;

export interface EventOptions {
  path: string;
  plan: ReadingPlan;
  model: ModelFacts | null;
  start: RowPosition;
  /** Offset to stop at; default: the end of the file. */
  endByte?: number;
  /** Size of the first chunk; default: the size of the others. */
  firstBytes?: number;
  /** Gets every byte as it is in the file, in order. */
  onBytes: (bytes: Buffer, offset: number) => void;
  /** Returns a buffer that is free, if there is one. Set if the bytes are used after the call. */
  freeBuffer?: () => Buffer | undefined;
  /** Events to reuse for each chunk; default: new ones. */
  events?: Events;
}

/** Reads rows and converts them to events, chunk by chunk. */
export class EventReader {
  /** The events of the last chunk. */
  readonly events: Events;
  readonly #validator: RowValidator;
  readonly #facts = new ReadingFacts();
  readonly #source: Source;
  readonly #pieces: ReturnType<typeof readRows>;
  /** Number of rows that were read. */
  #rows = 0;

  constructor(source: Source, { path, plan, model, events, ...reading }: EventOptions) {
    this.events = events ?? new Events();
    this.#source = source;
    this.#validator = new RowValidator(readingPlan(plan, plan.columns), source.header, model);
    const decode = decoderFor(source.dialect.encoding);
    const options = { events: this.events, validator: this.#validator, plan, decode };
    this.#pieces = readRows(source, path, {
      ...reading,
      // For JSON, irregularities are counted in the ledger instead.
      facts: source.header === null ? undefined : this.#facts,
      unread: unreadAtEnd(source, plan),
      sink: new CellEncoder({ ...options, signs: signsOf(source.dialect) }),
      lineSink: new LineEncoder(options),
    });
  }

  /** Reads the next chunk. Returns the offset up to which the file was read, or null at the end. Throws read errors. */
  async next(): Promise<number | null> {
    this.events.clear();
    const piece = await this.#pieces.next();
    if (piece.done === true) return null;
    const { events } = this;
    events.slow += piece.value.rows.length;
    this.#rows += events.count + events.bad.length + piece.value.rows.length;
    for (const row of piece.value.rows) {
      const checked = this.#validator.check(row);
      if ('bad' in checked) this.events.bad.push(checked.bad);
      else {
        this.events.addText(row, checked.json, checked.ownId);
        this.events.countAs(checked.isRepaired, checked.isUnusual);
      }
    }
    return piece.value.readBytes;
  }

  /**
   * True if converting the rows again is cheaper than storing and reading events: nearly all rows are converted many at
   * once.
   */
  get isCheap(): boolean {
    return this.#source.header !== null && this.events.slow < this.#rows * MAX_SLOW_SHARE;
  }

  /** Values that do not fit, by column and kind of problem. */
  problems(): ProblemGroup[] {
    return this.#validator.problems();
  }

  /** The columns of a plan with the readings decided by the rows read. */
  settled(given: ReadingPlan): SettledColumns {
    return this.#validator.settled(given);
  }

  /** Changed values, and columns and values that are not sent. */
  ledger(given: ReadingPlan): ValueLedger {
    return this.#validator.ledger(given);
  }

  /** Notes for the person that do not make rows bad. */
  notes(): string[] {
    return [...notesOf(this.#source), ...this.#facts.notes(), ...this.#validator.notes()];
  }
}

/** Number of unnamed trailing columns that the plan does not have. */
function unreadAtEnd(
  { header, spare }: Source,
  { columns }: { columns: readonly { source: string }[] },
): number {
  if (header === null || spare === 0) return 0;
  const known = new Set(columns.map((column) => column.source));
  return header.slice(header.length - spare).filter((name) => !known.has(name)).length;
}
