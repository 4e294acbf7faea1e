/** Checks the English of comments, test names, identifiers and documents by a few rules of docs/style.md. Pure. */

interface Rule {
  readonly pattern: RegExp;
  readonly advice: string;
}

/** Rules for the start of a comment. */
const OPENINGS: readonly Rule[] = [
  {
    pattern:
      /^(?:(?:What|Whatever|Who|Whoever)\b|Which [a-z]|Those (?:that|which|who)|That which|One that|Where [a-z])/,
    advice: 'a comment starts with a noun phrase or a sentence with its own subject',
  },
];

/** Rules for comments and test names. */
const PHRASES: readonly Rule[] = [
  { pattern: /\bgo(?:es)? on\b/i, advice: 'continue, resume' },
  { pattern: /\btells? \w+ apart\b|\btold apart\b/i, advice: 'distinguish' },
  { pattern: /\b(?:is|are) told\b/i, advice: 'is notified, is reported' },
  { pattern: /\b(?:takes?|took|taken) back\b/i, advice: 'undo, restore, recall' },
  { pattern: /\b(?:set|put|stands?) aside\b/i, advice: 'hide, postpone, quarantine' },
  { pattern: /\blets? (?:it|them) go\b/i, advice: 'release' },
  { pattern: /\bthat which\b/i, advice: 'name the thing' },
  { pattern: /\bis not to be\b/i, advice: 'must not be' },
];

/** Rules for code. Old names are allowed only in strings for reading what earlier versions stored. */
const NAMES: readonly Rule[] = [
  { pattern: /\b(?:[A-Z\d]+_)*MOST_[A-Z]|\b[A-Z\d_]+_MOST\b/, advice: 'MAX_' },
  { pattern: /\b(?:[A-Z\d]+_)*LEAST_[A-Z]|\b[A-Z\d_]+_LEAST\b/, advice: 'MIN_' },
  { pattern: /\bgoesOn\b/, advice: 'shouldContinue' },
  { pattern: /\btakeBack\b/, advice: 'restore, recall, undo' },
  { pattern: /\bstumble\b/, advice: 'handleFailure' },
  { pattern: /\bputOff\b/, advice: 'postpone' },
  { pattern: /\bseize\b/, advice: 'takeOver' },
  {
    pattern: /\b(?:untold|isNotTold|is\w*ToldApart|are\w*ToldApart)\b/,
    advice: 'pending, unreported, isDistinguishable',
  },
  { pattern: /\b(?:mayLeave|takeLeave|Departure)\b/, advice: 'canSend, claimSend, SendPermission' },
  { pattern: /\blookA(?:gain|fter|fterAll)\b/, advice: 'recheck, recover' },
  { pattern: /\b(?:haltOf|noWay|wayText|whyOf|orWhy)\b/, advice: 'suspensionOf, offlineError, reasonFor' },
  { pattern: /(?<!stored\.)\b(?:\w*Twins?|twins?)(?![\w'"])/, advice: 'nearDuplicate' },
];

/** The text of a comment that starts in the line, without its marks; null if none does. */
function commentStart(line: string, before: string): string | null {
  if (/^\s*\/\*\*?$/.test(before)) return line.replace(/^\s*\*\s?/, '').trim();
  const [, mark, text] = /(?:^|\s)(\/\*\*?|\/\/|<!--)\s?(.*)$/.exec(line) ?? [];
  if (mark === undefined || text === undefined) return null;
  // A `//` line after another one continues its sentence.
  if (mark === '//' && /^\s*\/\//.test(line) && /^\s*\/\//.test(before)) return null;
  return text.replace(/\s*(?:\*\/|-->).*$/, '').trim();
}

/** The text of a comment in the line, also if it began in an earlier one; null if the line contains only code. */
function commentText(line: string): string | null {
  return (
    /(?:^|\s)(?:\/\*\*?|\/\/|<!--)\s?(.*)$|^\s*\*\s(.*)$/
      .exec(line)
      ?.slice(1)
      .find((text) => text !== undefined) ?? null
  );
}

function testName(line: string): string | null {
  return /\b(?:test|it|describe)(?:\.\w+)?\(\s*(['"`])(.*?)\1/.exec(line)?.[2] ?? null;
}

/** In a document every line is prose, except in code blocks. */
function documentProblems(path: string, lines: readonly string[]): string[] {
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    return isCode ? [] : problemsOf(PHRASES, line, `${path}:${index + 1}`);
  });
}

function problemsOf(rules: readonly Rule[], text: string | null, place: string): string[] {
  return rules.flatMap(({ pattern, advice }) => {
    const found = text === null ? null : pattern.exec(text);
    return found === null ? [] : [`${place}: “${found[0]}”; instead: ${advice}`];
  });
}

/**
 * The places in a file that break a rule, as `path:line: found; advice`. `text`: the content of a TypeScript, Svelte or
 * Markdown file.
 */
export function wordingProblems(path: string, text: string): string[] {
  const lines = text.split('\n');
  if (path.endsWith('.md')) return documentProblems(path, lines);
  return lines.flatMap((line, index) => {
    const [comment, name] = [commentText(line), testName(line)];
    const start = commentStart(line, lines[index - 1] ?? '');
    const checked: [readonly Rule[], string | null][] = [
      [OPENINGS, start],
      [PHRASES, comment],
      [PHRASES, name],
      [NAMES, comment === null ? line : line.slice(0, line.indexOf(comment))],
    ];
    return checked.flatMap(([rules, checkedText]) => problemsOf(rules, checkedText, `${path}:${index + 1}`));
  });
}
