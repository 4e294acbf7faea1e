/** The words of the search index. Each word is stored once per kind, with a number and its trigrams. */
import type { StoredKind } from '../core/search/documents.ts';
import { GAP } from '../core/search/fold.ts';
import { lettersOf } from '../core/search/terms.ts';
import { wordsOf } from '../core/search/words.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

/** Letters in a group of the index (trigram). */
const GRAM_LETTERS = 3;
export const LAST_CHARACTER = '\u{10ffff}';
/**
 * Added to each word, so that each letter begins a trigram. This makes it possible to find one or two letters, and the
 * ends of words.
 */
const END = `${GAP}${GAP}`;
/** Maximum cached numbers of words while rows are written. */
const MAX_HELD = 50_000;
const RADIX = 36;

const wordId = z.int();

/** Assigns numbers to words, within the transaction of the rows. */
export class WordWriter {
  readonly #held = new Map<string, number>();
  readonly #find;
  readonly #add;
  readonly #addLetters;

  constructor(index: Database, kind: StoredKind) {
    this.#find = index.prepare(`SELECT id FROM word_${kind} WHERE text = ?`).pluck();
    this.#add = index.prepare(`INSERT INTO word_${kind} (text) VALUES (?)`);
    this.#addLetters = index.prepare(`INSERT INTO letters_${kind} (rowid, text) VALUES (?, ?)`);
  }

  /** Numbers of the distinct words in a folded text, in the format of the row index. */
  numbersOf(text: string): string {
    return [...new Set(wordsOf(text))].map((word) => this.#idOf(word).toString(RADIX)).join(' ');
  }

  #idOf(word: string): number {
    const held = this.#held.get(word);
    if (held !== undefined) return held;
    const found = this.#find.get(word);
    const id = found === undefined ? this.#insert(word) : parseRow(wordId, found, 'search index');
    if (this.#held.size >= MAX_HELD) this.#held.clear();
    this.#held.set(word, id);
    return id;
  }

  #insert(word: string): number {
    const id = Number(this.#add.run(word).lastInsertRowid);
    this.#addLetters.run(id, `${word}${END}`);
    return id;
  }
}

/** A part of the search text, and where in a word it may occur. */
export interface WordPart {
  text: string;
  place: 'inside' | 'at the end' | 'whole' | 'at the beginning';
}

/**
 * Splits a term into parts that each lie within one word. If there is a single part, a match is certain; with several,
 * their order must still be checked.
 */
export function partsOf(term: string): WordPart[] {
  const words = wordsOf(term);
  if (words.length === 1) return [{ text: term, place: 'inside' }];
  return words.map((text, at) => ({
    text,
    place: at === 0 ? 'at the end' : at === words.length - 1 ? 'at the beginning' : 'whole',
  }));
}

/** Finds words by their parts. */
export class WordReader {
  readonly #inside;
  readonly #withGram;
  readonly #whole;
  readonly #beginning;
  readonly #textsInside;
  readonly #textsBeginning;

  constructor(index: Database, kind: StoredKind) {
    this.#textsInside = index
      .prepare(
        `SELECT word.text FROM letters_${kind} AS found CROSS JOIN word_${kind} AS word ON word.id = found.rowid
         WHERE found.letters_${kind} MATCH ? LIMIT ?`,
      )
      .pluck();
    this.#textsBeginning = index
      .prepare(`SELECT text FROM word_${kind} WHERE text >= ? AND text < ? LIMIT ?`)
      .pluck();
    this.#inside = index
      .prepare(`SELECT rowid FROM letters_${kind} WHERE letters_${kind} MATCH ? LIMIT ?`)
      .pluck();
    this.#withGram = index
      .prepare(`SELECT DISTINCT doc FROM gram_${kind} WHERE term >= ? AND term < ? LIMIT ?`)
      .pluck();
    this.#whole = index.prepare(`SELECT id FROM word_${kind} WHERE text = ? LIMIT ?`).pluck();
    this.#beginning = index
      .prepare(`SELECT id FROM word_${kind} WHERE text >= ? AND text < ? LIMIT ?`)
      .pluck();
  }

  /** Numbers of words that match a part, at most `most`; all if it is negative. */
  find({ text, place }: WordPart, most: number): Iterable<unknown> {
    switch (place) {
      case 'whole':
        return this.#whole.iterate(text, most);
      case 'at the beginning':
        return this.#beginning.iterate(text, `${text}${LAST_CHARACTER}`, most);
      case 'at the end':
        return this.#inside.iterate(quoted(`${text}${END}`), most);
      case 'inside':
        return lettersOf(text) < GRAM_LETTERS
          ? this.#withGram.iterate(text, `${text}${LAST_CHARACTER}`, most)
          : this.#inside.iterate(quoted(text), most);
    }
  }

  /** Whether any word contains this text. */
  holds(text: string): boolean {
    for (const _ of this.find({ text, place: 'inside' }, 1)) return true;
    return false;
  }

  /** Words that begin with a text, at most `most`, and as many that contain another text of three letters or more. */
  *textsWith(beginning: string, inside: readonly string[], most: number): Generator<string> {
    for (const text of this.#textsBeginning.iterate(beginning, `${beginning}${LAST_CHARACTER}`, most))
      yield String(text);
    for (const part of inside)
      for (const text of this.#textsInside.iterate(quoted(part), most)) yield String(text);
  }
}

/** Search expression for rows that contain at least one of these words. */
export function anyOf(ids: readonly unknown[]): string {
  return `(${ids.map((id) => quoted(Number(id).toString(RADIX))).join(' OR ')})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
