/** Writes a logged request as a command line for a POSIX shell or PowerShell. Pure. */
import type { BodyKept, RequestDetails, Shell } from '../../shared/traffic-model.ts';

/**
 * The environment variable from which a copied command takes the token, also used by this application's command line.
 */
const TOKEN_VARIABLE = 'SPANDECK_TOKEN';
/** Placeholder for a body that is not in the log. */
const BODY_FILE = 'body.json';

const MISSING: Readonly<Partial<Record<BodyKept, string>>> = {
  events: 'Events are not kept in the log.',
  file: 'Files are not kept in the log.',
  secret: 'The body held a password or key and was not kept in the log.',
  'too-large': 'The body was too large for the log.',
  pruned: 'The body is no longer in the log.',
};

interface ShellWords {
  curl: string;
  /** End of a line that is continued on the next one. */
  next: string;
  token: string;
  word: (text: string) => string;
  /** The complete command with a body as text. The first of `parts` is the program. */
  withBody: (parts: readonly [string, ...string[]], body: string) => string[];
}

const SHELL_WORDS: Readonly<Record<Shell, ShellWords>> = {
  posix: {
    curl: 'curl',
    next: ' \\\n  ',
    token: `"Authorization: Bearer $${TOKEN_VARIABLE}"`,
    word: shellWord,
    withBody: (parts, body) => [...parts, `--data-raw ${shellWord(body)}`],
  },
  powershell: {
    // In older versions of PowerShell, `curl` without the extension is another command.
    curl: 'curl.exe',
    next: ' `\n  ',
    token: `"Authorization: Bearer $env:${TOKEN_VARIABLE}"`,
    word: powershellWord,
    // The body is piped as ASCII, because older versions drop quotes in arguments and non-ASCII characters in a pipe.
    withBody: ([first, ...rest], body) => [
      `${powershellWord(asciiJson(body))} | ${first}`,
      ...rest,
      "--data-binary '@-'",
    ],
  },
};

/** The usual shell on a Node platform (`win32`, `darwin`, `linux`, …). */
export const shellOf = (platform: string): Shell => (platform === 'win32' ? 'powershell' : 'posix');

/** One quoted word for a POSIX shell, for any text. A NUL cannot be part of one and is left out. */
function shellWord(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`;
}

/** One quoted word for PowerShell, which treats four more characters as quotes. */
function powershellWord(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

/** Equivalent JSON in ASCII. */
function asciiJson(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The method at the start of an operation's name. */
export const methodOf = ({ operation }: Pick<RequestDetails, 'operation'>) => operation.replace(/ .*/s, '');

/**
 * The command, and a list of its missing parts (empty if it is complete). It never contains the token: the shell
 * inserts it from the environment variable SPANDECK_TOKEN.
 */
export function curlCommand(
  request: RequestDetails,
  shell: Shell = 'posix',
): { command: string; note: string } {
  const missing = MISSING[request.bodyKept];
  const hasBody = request.sentBytes > 0 || request.bodyKept === 'whole' || missing !== undefined;
  // A row logged before bodies were recorded does not say whether there was a body.
  const hasNothing = request.bodyKept === 'pruned' && request.sentBytes === 0;
  const isBodySent = hasBody && !hasNothing;
  const { curl, next, token, word, withBody } = SHELL_WORDS[shell];
  const parts: readonly [string, ...string[]] = [
    `${curl} --globoff --request ${methodOf(request)} ${word(`${request.origin}${request.url}`)}`,
    `--header ${token}`,
    `--header ${word('Accept: application/json')}`,
    ...(isBodySent && request.bodyKept !== 'file'
      ? [`--header ${word('Content-Type: application/json')}`]
      : []),
    ...(isBodySent && request.body === null ? [placeFor(request.bodyKept, word)] : []),
  ];
  const notes = [
    ...(isBodySent && missing !== undefined ? [`${missing} ${nextStepFor(request.bodyKept)}`] : []),
    ...(`${request.url}${request.body ?? ''}`.includes('[token]')
      ? ['The request held the token itself; it is masked.']
      : []),
  ];
  const whole = request.body === null ? parts : withBody(parts, request.body);
  return { command: whole.join(next), note: notes.join(' ') };
}

const placeFor = (kept: BodyKept, word: (text: string) => string) =>
  kept === 'file' ? `--form ${word(`file=@${BODY_FILE}`)}` : `--data-binary ${word(`@${BODY_FILE}`)}`;

const nextStepFor = (kept: BodyKept) =>
  kept === 'file'
    ? `Name the file in place of ${BODY_FILE}, and the field it is sent in.`
    : `Put it into ${BODY_FILE} first.`;
