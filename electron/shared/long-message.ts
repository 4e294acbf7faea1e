/**
 * Messages between the processes as JSON text, in order. A message that is too long is sent in parts, and numbers keep
 * digits that a structured clone would lose. Pure.
 */
import { holdsRawNumber, parseExact } from './exact-json.ts';
import { joinParts, partOf, utf8Bytes } from './record-parts.ts';

/** Maximum bytes of JSON in one message. */
export const MESSAGE_BYTES = 100_000;
/** Bytes added around a value by the envelope of an answer. */
const AROUND_BYTES = 100;

/** Replaces a value that is sent in parts. */
interface LongMessage {
  spandeckParts: {
    id: number;
    /** Total characters of the JSON. */
    characters: number;
    /** The first part. */
    begin: string;
  };
}

export function isLongMessage(message: unknown): message is LongMessage {
  if (typeof message !== 'object' || message === null || !('spandeckParts' in message)) return false;
  const parts: unknown = message.spandeckParts;
  return (
    typeof parts === 'object' &&
    parts !== null &&
    'id' in parts &&
    typeof parts.id === 'number' &&
    'characters' in parts &&
    typeof parts.characters === 'number' &&
    'begin' in parts &&
    typeof parts.begin === 'string'
  );
}

/** Whether JSON is too long for one message. */
function isTooLong(json: string): boolean {
  const most = MESSAGE_BYTES - AROUND_BYTES;
  // A character has one to three bytes, so the bytes rarely need to be counted.
  if (json.length * 3 <= most) return false;
  return json.length > most || utf8Bytes(json) > most;
}

/**
 * The value itself if it can be cloned, or its text as one part if a clone would lose digits; null if it is too long.
 */
export function shortMessage(json: string, value: unknown): { message: unknown } | null {
  if (isTooLong(json)) return null;
  if (!holdsRawNumber(value, json)) return { message: value };
  const whole: LongMessage = { spandeckParts: { id: 0, characters: json.length, begin: json } };
  return { message: whole };
}

export function longMessage(id: number, json: string): LongMessage {
  return { spandeckParts: { id, characters: json.length, begin: partOf(json, 0) } };
}

/** The value of a long message; `read` returns the part from a character on, null if it was dropped. */
export async function valueOfLong(
  { spandeckParts: { id, characters, begin } }: LongMessage,
  read: (id: number, from: number) => Promise<string | null>,
): Promise<{ value: unknown } | null> {
  const json = await joinParts(characters, (from) => (from === 0 ? Promise.resolve(begin) : read(id, from)));
  return json === null ? null : { value: parseExact(json) };
}

/** Runs tasks one after another; at once if nothing is running. */
export class InOrder {
  #tail: Promise<void> | null = null;

  /** `take` returns a promise if it needs more time; later tasks then wait for it to settle. */
  run(take: () => Promise<void> | undefined): Promise<void> {
    if (this.#tail === null) {
      const going = take();
      return going === undefined ? Promise.resolve() : this.#follow(going);
    }
    return this.#follow(this.#tail.then(take));
  }

  #follow(going: Promise<void>): Promise<void> {
    const tail = going
      .catch(() => undefined)
      .then(() => {
        if (this.#tail === tail) this.#tail = null;
      });
    this.#tail = tail;
    return going;
  }
}
