/**
 * Messages that are too long to be sent at once. A message to the window is kept until the window has read its last
 * part; parts of an argument are kept until they are complete.
 */
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import { isLongMessage, longMessage, shortMessage } from '../shared/long-message.ts';
import { partOf } from '../shared/record-parts.ts';

/** Maximum size of kept messages. The oldest ones are dropped, because a reloaded window never reads them. */
const MAX_HELD_CHARACTERS = 64_000_000;
/** Maximum size of an argument, enough for the longest: the ids of a deletion of events. */
const MAX_GIVEN_CHARACTERS = 64_000_000;
/**
 * Maximum unfinished arguments. Parts and their message are sent together, so only reloaded windows leave more than
 * one.
 */
const MAX_UNFINISHED = 8;

export class MessageQueue {
  readonly #held = new Map<number, string>();
  #nextId = 1;
  #heldCharacters = 0;
  readonly #given = new Map<number, string>();
  #givenCharacters = 0;

  /** The value itself if it fits into one message, otherwise a reference to its parts. */
  pack(value: unknown): unknown {
    const json: string | undefined = JSON.stringify(value);
    if (json === undefined) return value;
    const short = shortMessage(json, value);
    if (short !== null) return short.message;
    const id = this.#nextId;
    this.#nextId += 1;
    this.#held.set(id, json);
    this.#heldCharacters += json.length;
    for (const oldest of this.#held.keys()) {
      if (this.#heldCharacters <= MAX_HELD_CHARACTERS || oldest === id) break;
      this.#drop(oldest);
    }
    return longMessage(id, json);
  }

  /** The part from a character on; null if it is no longer stored. */
  read(id: number, from: number): string | null {
    const json = this.#held.get(id);
    if (json === undefined) return null;
    const part = partOf(json, from);
    if (from + part.length >= json.length) this.#drop(id);
    return part;
  }

  /**
   * Adds a part of an argument. A first part replaces an earlier argument with the same id; if too many are unfinished,
   * the oldest is dropped.
   */
  add(id: number, from: number, part: string): void {
    const before = from === 0 ? '' : (this.#given.get(id) ?? '');
    if (from === 0) this.#takeGiven(id);
    const characters = this.#givenCharacters + part.length;
    const isTooLong = characters > MAX_GIVEN_CHARACTERS;
    if (before.length !== from || isTooLong) {
      this.#takeGiven(id);
      // The others may be left from a reloaded window, and would then be in the way for ever.
      if (isTooLong) for (const other of [...this.#given.keys()]) this.#takeGiven(other);
      throw new AppError(
        'INVALID_ARGUMENT',
        'The argument is too long, or its parts do not follow each other.',
      );
    }
    this.#given.set(id, before + part);
    this.#givenCharacters = characters;
    if (this.#given.size <= MAX_UNFINISHED) return;
    for (const oldest of this.#given.keys()) {
      this.#takeGiven(oldest);
      break;
    }
  }

  /** The complete argument, in which a reference is replaced by the parts. Throws INVALID_ARGUMENT. */
  unpack(argument: unknown): unknown {
    if (!isLongMessage(argument)) return argument;
    const { id, characters, begin } = argument.spandeckParts;
    const json = begin + this.#takeGiven(id);
    if (json.length !== characters) {
      throw new AppError('INVALID_ARGUMENT', 'A part of the argument is missing.');
    }
    try {
      return parseExact(json);
    } catch (thrown) {
      throw new AppError('INVALID_ARGUMENT', 'The parts of the argument are not JSON together.', {}, thrown);
    }
  }

  #takeGiven(id: number): string {
    const given = this.#given.get(id) ?? '';
    this.#given.delete(id);
    this.#givenCharacters -= given.length;
    return given;
  }

  #drop(id: number): void {
    this.#heldCharacters -= this.#held.get(id)?.length ?? 0;
    this.#held.delete(id);
  }
}
