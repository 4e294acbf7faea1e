/** A logged request as a command line for a POSIX shell. Pure. */
import type { BodyKept, RequestDetails } from '../shared/traffic-model.ts';

/** The environment variable a copied command takes the token from, the one of this application's command line. */
export const TOKEN_VARIABLE = 'SPANDECK_TOKEN';
/** Stands for a body that is not in the log. */
const BODY_FILE = 'body.json';

const MISSING: Readonly<Partial<Record<BodyKept, string>>> = {
  events: 'Events are not kept in the log.',
  file: 'Files are not kept in the log.',
  secret: 'The body held a password or key and was not kept in the log.',
  'too-large': 'The body was too large for the log.',
  pruned: 'The body is no longer in the log.',
};

/** One word for a POSIX shell, whatever it holds. A NUL cannot be part of one and is left out. */
export function shellWord(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`;
}

/** The method an operation begins with. */
export const methodOf = ({ operation }: Pick<RequestDetails, 'operation'>) =>
  operation.split(' ', 1)[0] ?? 'GET';

/**
 * The command, and what it lacks (empty where it is whole). The token is never in it: the shell puts it in from
 * the environment variable SPANDECK_TOKEN.
 */
export function curlCommand(request: RequestDetails): { command: string; note: string } {
  const missing = MISSING[request.bodyKept];
  const hasBody = request.sentBytes > 0 || request.bodyKept === 'whole' || missing !== undefined;
  // A row from before bodies were kept does not say whether there was one.
  const hasNothing = request.bodyKept === 'pruned' && request.sentBytes === 0;
  const isBodySent = hasBody && !hasNothing;
  const parts = [
    `curl --globoff --request ${methodOf(request)} ${shellWord(`${request.origin}${request.url}`)}`,
    `--header "Authorization: Bearer $${TOKEN_VARIABLE}"`,
    "--header 'Accept: application/json'",
    ...(isBodySent && request.bodyKept !== 'file' ? ["--header 'Content-Type: application/json'"] : []),
    ...(request.body === null ? [] : [`--data-raw ${shellWord(request.body)}`]),
    ...(isBodySent && request.body === null ? [placeFor(request.bodyKept)] : []),
  ];
  const notes = [
    ...(isBodySent && missing !== undefined ? [`${missing} ${nextStepFor(request.bodyKept)}`] : []),
    ...(`${request.url}${request.body ?? ''}`.includes('[token]')
      ? ['The request held the token itself; it is masked.']
      : []),
  ];
  return { command: parts.join(' \\\n  '), note: notes.join(' ') };
}

const placeFor = (kept: BodyKept) =>
  kept === 'file' ? `--form file=@${BODY_FILE}` : `--data-binary @${BODY_FILE}`;

const nextStepFor = (kept: BodyKept) =>
  kept === 'file'
    ? `Name the file in place of ${BODY_FILE}, and the field it is sent in.`
    : `Put it into ${BODY_FILE} first.`;
