/**
 * Scans a file for one JSON object that holds its rows in a list, such as `{"data": [{…}, {…}], "total": 2}`. Finds its
 * lists of objects, and splits one of them into a text for each element. Pure: takes bytes in chunks of any size.
 */

import { CUT_OFF, MAX_PIECE_BYTES, pieceText, precedesObject, tooLongPiece } from './json-pieces.ts';
import { TABLE_DOCUMENT } from './json-tables.ts';

/** The choice of reading the whole document as one row. */
export const WHOLE_DOCUMENT = 'the whole object';

interface DocumentList {
  /**
   * Keys from the root to the list, joined by points; points in keys are escaped. Further lists at the same path get a
   * number appended, so that each path is unique.
   */
  path: string;
  /** The last key. */
  key: string;
  objects: number;
  /** Number of elements that are not objects. */
  others: number;
  /** Number of elements that are lists, which are among the others. */
  lists: number;
}

/** A field of an object that is not inside a list. */
export interface DocumentField {
  key: string;
  /** Fields of an object value; null for other values and for objects nested too deeply. */
  inner: DocumentFields | null;
  /** The value, if it is a list. */
  list: DocumentList | null;
}

export interface DocumentFields {
  /** The first `MAX_FIELDS` fields. */
  fields: readonly DocumentField[];
  total: number;
}

export interface Outline {
  /** True if the file has exactly one value and it is an object. */
  isOne: boolean;
  /** Lists of objects that are not inside other lists. */
  lists: readonly DocumentList[];
  root: DocumentFields;
  /**
   * Text between the first object and the next value, without blanks: line ends and separators. Null if there is only
   * one value.
   */
  between: string | null;
}

/** Maximum depth of objects in which lists are searched. */
const MAX_DEPTH = 3;
/**
 * An answer of GraphQL has its list below `data` and the names of its query. Lists at this depth count only if there are
 * none above, except for its errors.
 */
const MAX_ANSWER_DEPTH = 6;
const ANSWER = 'data.';
const ERRORS = 'errors';
const MAX_LISTS = 50;
/** Maximum number of fields that are listed per object. */
export const MAX_FIELDS = 50;
const MAX_KEY_BYTES = 200;
/** A longer path is cut off, so that it can be passed as the name of a sheet. */
const MAX_PATH_LENGTH = 180;
const MAX_BETWEEN = 200;

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [code('"'), code('\\'), code(',')];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [code('['), code(']'), code('{'), code('}')];
const [COLON, SPACE] = [code(':'), 0x20];

interface Container {
  isObject: boolean;
  /** Null inside a list or at too great a depth. */
  path: string | null;
  /** The last key that was read in an object with a path. */
  key: string;
  isKeyNext: boolean;
  list: DocumentList | null;
  inner: OpenFields | null;
}

interface OpenFields extends DocumentFields {
  fields: OpenField[];
}

interface OpenField extends DocumentField {
  inner: OpenFields | null;
}

export class JsonDocument {
  readonly #target: string | null;
  readonly #name: string;
  readonly #stack: Container[] = [];
  readonly #lists: DocumentList[] = [];
  /** The lists below the usual depth, which are among the others. */
  readonly #deepLists = new Set<DocumentList>();
  #hasDeepFields = false;
  /** Paths of all lists found so far, and the choices that are not lists. */
  readonly #paths = new Set<string>([WHOLE_DOCUMENT, TABLE_DOCUMENT]);
  readonly #root: OpenFields = { fields: [], total: 0 };
  #values = 0;
  #isOther = false;
  #between = '';
  #hasNext = false;
  #isInText = false;
  #isEscaped = false;
  #isInWord = false;
  /** Bytes of the key that is being read. */
  #key: number[] | null = null;
  /** The parts of the element that is being read; null outside an element. */
  #held: Buffer[] | null = null;
  #heldBytes = 0;
  #isElementOver = false;
  #isLineStart = false;
  /** The last byte that is not a blank. */
  #last = 0;

  /** `target`: path of the list whose elements are returned; null to only find the lists. */
  constructor(name: string, target: string | null = null) {
    this.#name = name;
    this.#target = target;
  }

  /** True as soon as the file cannot be a single object. */
  get isOther(): boolean {
    return this.#isOther;
  }

  get isOpen(): boolean {
    return this.#stack.length > 0;
  }

  get outline(): Outline {
    const isOne = !this.#isOther && this.#values === 1;
    const found = this.#lists.filter(({ objects }) => objects > 0);
    const lists = this.#isDeep ? found : found.filter((list) => !this.#deepLists.has(list));
    const root = this.#isDeep || !this.#hasDeepFields ? this.#root : upTo(MAX_DEPTH, this.#root);
    return { isOne, lists, root, between: this.#hasNext ? this.#between : null };
  }

  /** Whether the rows can only be below the usual depth. */
  get #isDeep(): boolean {
    return (
      [...this.#deepLists].some(({ objects, others }) => objects > 0 || others === 0) &&
      this.#lists.every((list) => this.#deepLists.has(list) || list.objects === 0 || list.path === ERRORS)
    );
  }

  /**
   * The texts of the elements that are completed by these bytes. Throws FILE_MALFORMED for an element that is too long.
   */
  push(bytes: Buffer): string[] {
    const elements: string[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length && !this.#isOther; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#isCutOff(byte)) {
        this.#isOther = true;
        break;
      }
      if (this.#isInText) {
        this.#text(byte);
        continue;
      }
      const wasHolding = this.#held !== null;
      const before = this.#step(byte);
      if (!wasHolding && this.#held !== null) from = at;
      if (wasHolding && this.#isElementOver) {
        elements.push(this.#take(bytes.subarray(from, before ? at : at + 1)));
        this.#isElementOver = false;
      }
    }
    if (this.#held !== null) this.#hold(Buffer.from(bytes.subarray(from)));
    return elements;
  }

  /**
   * The incomplete element and the reason to report as a bad row if the file ends too early, so that the loss is
   * visible.
   */
  end(): string[] {
    if (this.#held !== null) return [this.#take(Buffer.alloc(0))];
    return this.isOpen ? [CUT_OFF] : [];
  }

  /**
   * True if an object starts a line although the previous line ended within a text or value, which means that the file
   * is JSON Lines.
   */
  #isCutOff(byte: number): boolean {
    if (byte <= SPACE) {
      if (byte === LF) this.#isLineStart = true;
      return false;
    }
    const isRow = byte === OPEN && this.#isLineStart && (this.#isInText || !precedesObject(this.#last));
    this.#isLineStart = false;
    this.#last = byte;
    return isRow && this.isOpen && this.#target === null;
  }

  #text(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInText = false;
      if (this.#key !== null) this.#keyEnds(this.#key);
      this.#key = null;
      return;
    }
    if (this.#key !== null && this.#key.length < MAX_KEY_BYTES) this.#key.push(byte);
  }

  #keyEnds(key: readonly number[]): void {
    const container = this.#stack.at(-1);
    if (container === undefined) return;
    container.key = Buffer.from(key).toString('utf8');
    const { inner } = container;
    if (inner === null) return;
    inner.total += 1;
    if (inner.total <= MAX_FIELDS) inner.fields.push({ key: container.key, inner: null, list: null });
  }

  /** Returns true if the byte comes after the element that it ends. */
  #step(byte: number): boolean {
    const parent = this.#stack.at(-1);
    if (parent === undefined && this.#values === 1 && isSeparator(byte)) {
      if (this.#between.length < MAX_BETWEEN) this.#between += String.fromCharCode(byte);
      return false;
    }
    if (byte <= SPACE) return false;
    switch (byte) {
      case OPEN:
      case OPEN_LIST:
        this.#open(byte === OPEN, parent);
        return false;
      case CLOSE:
      case CLOSE_LIST:
        return this.#close(parent);
      case COMMA: {
        const isEnd = this.#wordEnds(parent);
        if (parent?.isObject === true) parent.isKeyNext = true;
        return isEnd;
      }
      case COLON:
        if (parent?.isObject === true) parent.isKeyNext = false;
        return false;
      default:
        this.#scalar(byte, parent);
        return false;
    }
  }

  #open(isObject: boolean, parent: Container | undefined): void {
    if (parent === undefined) {
      this.#values += 1;
      this.#hasNext = isObject && this.#values > 1;
      if (!isObject || this.#values > 1) this.#isOther = true;
    }
    this.#counts(parent, isObject ? 'object' : 'list');
    const path = parent === undefined ? '' : pathOf(parent);
    const depth = path?.startsWith(ANSWER) === true ? MAX_ANSWER_DEPTH : MAX_DEPTH;
    const isSearched = path !== null && this.#stack.length <= depth;
    if (isSearched && this.#stack.length > MAX_DEPTH) this.#hasDeepFields = true;
    const list = !isObject && isSearched ? this.#list(path, parent?.key ?? '') : null;
    const inner = isObject && isSearched ? innerOf(parent, this.#root) : null;
    const field = fieldOf(parent);
    if (field !== undefined) Object.assign(field, { inner, list });
    this.#stack.push({
      ...{ isObject, path: isObject && isSearched ? path : null },
      ...{ key: '', isKeyNext: isObject, list, inner },
    });
  }

  #list(path: string, key: string): DocumentList | null {
    const isDeep = this.#stack.length > MAX_DEPTH;
    const before = isDeep ? this.#deepLists.size : this.#lists.length - this.#deepLists.size;
    if (before === MAX_LISTS) return null;
    const short = path.slice(0, MAX_PATH_LENGTH);
    let unique = short;
    for (let number = 2; this.#paths.has(unique); number += 1) unique = `${short}#${number}`;
    const list = { path: unique, key, objects: 0, others: 0, lists: 0 };
    this.#paths.add(unique);
    this.#lists.push(list);
    if (isDeep) this.#deepLists.add(list);
    return list;
  }

  /** Counts a value that begins in this container. */
  #counts(parent: Container | undefined, kind: 'object' | 'list' | 'scalar'): void {
    const list = parent?.list;
    if (list === null || list === undefined) return;
    if (kind === 'object') list.objects += 1;
    else list.others += 1;
    if (kind === 'list') list.lists += 1;
    if (this.#target !== null && list.path === this.#target) this.#held ??= [];
  }

  #scalar(byte: number, parent: Container | undefined): void {
    const isText = byte === QUOTE;
    if (isText) this.#isInText = true;
    if (isText && parent?.isObject === true && parent.isKeyNext) {
      this.#key = parent.path === null ? null : [];
      return;
    }
    if (parent === undefined) this.#isOther = true;
    if (this.#isInWord) return;
    this.#isInWord = true;
    this.#counts(parent, 'scalar');
  }

  /** A separator ends a number, word or text. */
  #wordEnds(parent: Container | undefined): boolean {
    const isElement = this.#isInWord && this.#isOfTarget(parent);
    this.#isInWord = false;
    if (isElement) this.#isElementOver = true;
    return isElement;
  }

  #close(parent: Container | undefined): boolean {
    if (this.#wordEnds(parent)) {
      this.#stack.pop();
      return true;
    }
    this.#stack.pop();
    if (this.#isOfTarget(this.#stack.at(-1))) this.#isElementOver = true;
    return false;
  }

  #isOfTarget(container: Container | undefined): boolean {
    return this.#target !== null && container?.list?.path === this.#target;
  }

  #hold(bytes: Buffer): void {
    this.#held?.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > MAX_PIECE_BYTES) throw tooLongPiece('One JSON object', this.#name);
  }

  #take(last: Buffer): string {
    const bytes = Buffer.concat([...(this.#held ?? []), last]);
    this.#held = null;
    this.#heldBytes = 0;
    return pieceText(bytes, this.#name);
  }
}

/** The separator of records in JSON text sequences (RFC 7464). */
export const RECORD_SEPARATOR = 0x1e;
const LF = 0x0a;
const isSeparator = (byte: number): boolean => byte === LF || byte === COMMA || byte === RECORD_SEPARATOR;

/** The fields without the values of fields at a greater depth. */
const upTo = (depth: number, { fields, total }: DocumentFields): DocumentFields => ({
  fields: fields.map(({ key, inner, list }) =>
    depth === 0
      ? { key, inner: null, list: null }
      : { key, inner: inner === null ? null : upTo(depth - 1, inner), list },
  ),
  total,
});

/**
 * Path of a value in the container; null inside a list. A point in a key is escaped by a backslash, which never
 * precedes a point in JSON text.
 */
function pathOf({ isObject, path, key }: Container): string | null {
  if (!isObject || path === null) return null;
  const name = key.replaceAll('.', String.raw`\.`);
  return path === '' ? name : `${path}.${name}`;
}

/** The listed field whose value starts in this container. */
function fieldOf(parent: Container | undefined): OpenField | undefined {
  const inner = parent?.inner ?? null;
  return inner !== null && inner.total <= MAX_FIELDS ? inner.fields.at(-1) : undefined;
}

/** The fields of an object that starts in this container; null if they are not listed. */
function innerOf(parent: Container | undefined, root: OpenFields): OpenFields | null {
  if (parent === undefined) return root;
  return fieldOf(parent) === undefined ? null : { fields: [], total: 0 };
}
