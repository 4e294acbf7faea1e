/** A file as events, piece by piece: its rows are read, checked and converted in one go. */

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

export interface EventOptions {
  path: string;
  plan: ReadingPlan;
  model: ModelFacts | null;
  start: RowPosition;
  /** Offset where to stop; the whole file without it. */
  endByte?: number;
  /** Sees every byte as it lies in the file, in order. */
  onBytes: (bytes: Buffer, offset: number) => void;
  /** It still needs them after the call. */
  keepsBytes?: boolean;
  /** Filled with those of each piece; new ones without them. */
  events?: Events;
}

/** Reads rows and makes events of them, piece by piece. */
export class EventReader {
  /** Those of the piece that was read last. */
  readonly events: Events;
  readonly #validator: RowValidator;
  readonly #facts = new ReadingFacts();
  readonly #source: Source;
  readonly #pieces: ReturnType<typeof readRows>;

  constructor(source: Source, { path, plan, model, events, ...reading }: EventOptions) {
    this.events = events ?? new Events();
    this.#source = source;
    this.#validator = new RowValidator(readingPlan(plan, plan.columns), source.header, model);
    const decode = decoderFor(source.dialect.encoding);
    const options = { events: this.events, validator: this.#validator, plan, decode };
    this.#pieces = readRows(source, path, {
      ...reading,
      // What is odd in JSON stands in the ledger.
      facts: source.header === null ? undefined : this.#facts,
      sink: new CellEncoder({ ...options, signs: signsOf(source.dialect) }),
      lineSink: new LineEncoder(options),
    });
  }

  /** The next piece; answers up to which byte the file was read, or null at the end. Throws what reading throws. */
  async next(): Promise<number | null> {
    this.events.clear();
    const piece = await this.#pieces.next();
    if (piece.done === true) return null;
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

  /** Values that do not fit, by column and kind. */
  problems(): ProblemGroup[] {
    return this.#validator.problems();
  }

  /** The columns of a plan with what the rows that were read decide for them. */
  settled(given: ReadingPlan): SettledColumns {
    return this.#validator.settled(given);
  }

  /** What became of values that did not leave as they stand, and what is not sent. */
  ledger(given: ReadingPlan): ValueLedger {
    return this.#validator.ledger(given);
  }

  /** Sentences on what a person should know although no row is bad for it. */
  notes(): string[] {
    return [...notesOf(this.#source), ...this.#facts.notes(), ...this.#validator.notes()];
  }
}
