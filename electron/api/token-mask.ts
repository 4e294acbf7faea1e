/** Keeps an access token out of what is kept, logged or shown, also where it comes back encoded. */

/** A shorter text would be found in ordinary words. */
const LEAST_CHARS = 8;

/** Does a path or query hold the token, plain or encoded? */
export function holdsToken(target: string, token: string): boolean {
  return (
    token.length >= LEAST_CHARS && (target.includes(token) || target.includes(encodeURIComponent(token)))
  );
}

/** For what is kept of an address. */
export function maskToken(text: string, token: string | null): string {
  if (token === null || !holdsToken(text, token)) return text;
  return text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
}

/**
 * Masks the token in the text of an answer. JSON may write any character in another way (`\u0041`, `\/`), and
 * parsing would put it together again.
 */
export function maskInAnswer(text: string, token: string): string {
  const masked = maskToken(text, token);
  if (token.length < LEAST_CHARS || !masked.includes('\\')) return masked;
  return masked.replace(new RegExp([...token].map(anyJsonForm).join(''), 'g'), '[token]');
}

/** A token is printable ASCII. */
function anyJsonForm(letter: string): string {
  const hex = letter.charCodeAt(0).toString(16).padStart(4, '0');
  const anyCase = [...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit));
  const plain = /[\w]/.test(letter) ? letter : `\\${letter}`;
  const escaped = /["\\/]/.test(letter) ? `|\\\\\\${letter}` : '';
  return `(?:${plain}${escaped}|\\\\u${anyCase.join('')})`;
}
