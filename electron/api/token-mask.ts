/** Keeps an access token out of stored, logged and displayed text, even if it appears in encoded form. */

/** Minimum length of a token that is masked, because a shorter text could occur in ordinary words. */
const MIN_CHARS = 8;

/** Whether a path or query contains the token, plain or encoded. */
export function holdsToken(target: string, token: string): boolean {
  return token.length >= MIN_CHARS && (target.includes(token) || target.includes(encodeURIComponent(token)));
}

/** Masks the token in an address that is stored. */
export function maskToken(text: string, token: string | null): string {
  if (token === null || !holdsToken(text, token)) return text;
  return text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
}

/**
 * Masks the token in the text of an answer. JSON may escape any character (`\u0041`, `\/`), and parsing would restore
 * the token.
 */
export function maskInAnswer(text: string, token: string): string {
  const masked = maskToken(text, token);
  if (token.length < MIN_CHARS || !masked.includes('\\')) return masked;
  return masked.replace(jsonFormsOf(token), '[token]');
}

function jsonFormsOf(token: string): RegExp {
  return new RegExp([...token].map(anyJsonForm).join(''), 'g');
}

/** Maximum length of one escaped character of a token: `\u0041`. */
const LONGEST_FORM = 6;

/** Masks the token in an answer that arrives in pieces. A token is ASCII, so bytes can be treated as characters. */
export class MaskedPieces {
  readonly #token: string;
  readonly #jsonForms: RegExp;
  readonly #heldBack: number;
  #rest = '';

  constructor(token: string) {
    this.#token = token;
    this.#jsonForms = jsonFormsOf(token);
    this.#heldBack = token.length * LONGEST_FORM - 1;
  }

  /** Returns the bytes that can be passed on. The rest is withheld, because it may be the beginning of a token. */
  add(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const text = this.#masked(
      this.#rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
    );
    const end = Math.max(0, text.length - this.#heldBack);
    this.#rest = text.slice(end);
    return Buffer.from(text.slice(0, end), 'latin1');
  }

  /** Returns the bytes that were held back; empty on a second call. */
  end(): Uint8Array<ArrayBuffer> {
    const rest = this.#rest;
    this.#rest = '';
    return Buffer.from(rest, 'latin1');
  }

  #masked(text: string): string {
    const masked = maskToken(text, this.#token);
    if (this.#token.length < MIN_CHARS || !masked.includes('\\')) return masked;
    return masked.replace(this.#jsonForms, '[token]');
  }
}

/** A token consists of printable ASCII characters. */
function anyJsonForm(letter: string): string {
  const hex = letter.charCodeAt(0).toString(16).padStart(4, '0');
  const anyCase = [...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit));
  const plain = /[\w]/.test(letter) ? letter : `\\${letter}`;
  const escaped = /["\\/]/.test(letter) ? `|\\\\\\${letter}` : '';
  return `(?:${plain}${escaped}|\\\\u${anyCase.join('')})`;
}
