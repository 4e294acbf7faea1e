/** Reads the elements and texts of an XML document in chunks. Pure. DTDs are refused; office files never have one. */
import { cutText } from '../../../shared/cut-text.ts';

export interface XmlHandler {
  /** `name` without its prefix; `attributes` unparsed, see `attribute`. */
  open(name: string, attributes: string): void;
  close(name: string): void;
  /** `text` is decoded. The text of one element may come in several calls. */
  text(text: string): void;
}

/** Thrown for text that is not well-formed XML; `message` completes "…, because it ". */
export class XmlProblem extends Error {}

/** No valid office file has a longer tag or text: a cell holds at most 32,767 characters. */
const MAX_TOKEN_CHARS = 4_000_000;
const MAX_DEPTH = 200;
const TAG = /<(\/?)([^\s/>"'=<]+)(?=[\s/>"'=<])([^"'<>]*(?:"[^"]*"[^"'<>]*|'[^']*'[^"'<>]*)*)>/y;
/** Start and end of sections whose content is skipped, except for CDATA. */
const SECTIONS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;
const CDATA = '<![CDATA[';

export class XmlReader {
  readonly #handler: XmlHandler;
  /** Names of the open elements, with their prefixes. */
  readonly #open: string[] = [];
  #rest = '';
  #hasRoot = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Reads the next piece of the document. Throws XmlProblem. */
  push(piece: string): void {
    const text = this.#rest + piece;
    let at = 0;
    while (at < text.length) {
      const next = text.charCodeAt(at) === LESS ? this.#markup(text, at) : this.#text(text, at);
      if (next === null) break;
      at = next;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > MAX_TOKEN_CHARS) throw new XmlProblem('has a tag or text that does not end');
  }

  /** Throws XmlProblem if elements are still open. */
  end(): void {
    if (this.#rest.trim() !== '' || this.#open.length > 0 || !this.#hasRoot)
      throw new XmlProblem('ends in the middle');
  }

  /** Returns the offset where the text ends; null if its end has not arrived yet. */
  #text(text: string, at: number): number | null {
    const end = text.indexOf('<', at);
    if (end === -1) return null;
    if (this.#open.length > 0) this.#handler.text(decoded(text.slice(at, end)));
    else if (text.slice(at, end).trim().replace('\ufeff', '') !== '')
      throw new XmlProblem('has text outside of its elements');
    return end;
  }

  #markup(text: string, at: number): number | null {
    const second = text.charCodeAt(at + 1);
    if (second === EXCLAMATION || second === QUESTION) return this.#section(text, at);
    const plain = this.#plainTag(text, at);
    if (plain !== null) return plain;
    TAG.lastIndex = at;
    const found = TAG.exec(text);
    if (found === null) {
      // A tag contains no other `<`; inside quotes, any other character is allowed.
      const another = text.indexOf('<', at + 1);
      if (another === -1) return null;
      throw new XmlProblem('has a tag that does not end');
    }
    const [, slash, name = '', attributes = ''] = found;
    if (slash === '/') this.#close(name);
    else {
      const isEmpty = attributes.endsWith('/');
      this.#hasRoot = true;
      if (this.#open.length >= MAX_DEPTH) throw new XmlProblem('is nested too deeply');
      this.#open.push(name);
      this.#handler.open(localName(name), isEmpty ? attributes.slice(0, -1) : attributes);
      if (isEmpty) this.#close(name);
    }
    return TAG.lastIndex;
  }

  /** Most tags are short and have no attributes, so they are read without a regular expression. */
  #plainTag(text: string, at: number): number | null {
    const end = text.indexOf('>', at);
    if (end === -1 || end - at > MAX_PLAIN_TAG) return null;
    const isClosing = text.charCodeAt(at + 1) === SLASH;
    const name = text.slice(isClosing ? at + 2 : at + 1, end);
    if (!this.#isKnown(name)) return null;
    if (isClosing) this.#close(name);
    else {
      this.#open.push(name);
      this.#handler.open(localName(name), '');
    }
    return end + 1;
  }

  #isKnown(name: string): boolean {
    return this.#open.length > 0 && this.#open.length < MAX_DEPTH && /^[\w:]+$/.test(name);
  }

  #close(name: string): void {
    if (this.#open.pop() !== name) throw new XmlProblem(`closes “${cutText(name, 50)}”, which is not open`);
    this.#handler.close(localName(name));
  }

  #section(text: string, at: number): number | null {
    const section = SECTIONS.find(([begin]) => text.startsWith(begin, at));
    if (section === undefined) {
      if (text.length - at < CDATA.length) return null;
      throw new XmlProblem('has a document type, which office files have not');
    }
    const [begin, ending] = section;
    const end = text.indexOf(ending, at + begin.length);
    if (end === -1) return null;
    if (begin === CDATA && this.#open.length > 0)
      this.#handler.text(text.slice(at + begin.length, end).replaceAll('\r\n', '\n'));
    return end + ending.length;
  }
}

const [LESS, EXCLAMATION, QUESTION, SLASH] = [0x3c, 0x21, 0x3f, 0x2f];
const MAX_PLAIN_TAG = 30;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The value of an attribute by its name without a prefix; null if it is missing. Throws XmlProblem. */
export function attribute(attributes: string, name: string): string | null {
  for (const [, found = '', double, single] of attributes.matchAll(ATTRIBUTE))
    if (found === name || localName(found) === name) return decoded(double ?? single ?? '');
  return null;
}
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  const plain = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  if (!plain.includes('&')) return plain;
  return plain.replaceAll(/&([^;&]{0,12};?)/g, (_whole, entity: string) => {
    const code = /^#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(entity);
    const point =
      code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2] ?? '', code[1] === undefined ? 10 : 16);
    if (point <= 0x10_ff_ff) return String.fromCodePoint(point);
    const named = entity.endsWith(';') ? NAMED[entity.slice(0, -1)] : undefined;
    if (named === undefined) throw new XmlProblem(`has the unknown entity “&${entity}”`);
    return named;
  });
}
