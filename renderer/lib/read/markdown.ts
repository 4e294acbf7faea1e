/**
 * Markdown as blocks that the window draws as elements. Foreign HTML, links and images are never active: HTML is shown
 * as plain text, a link as its text and address, an image as its description and address. Pure. `marked` parses the
 * blocks. Crafted input can take quadratic time, so text that is nested too deeply, too long or has too many marks is
 * shown unformatted.
 */
import { Lexer, type Token, type Tokens } from 'marked';

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em' | 'del'; inside: Inline[] }
  | { kind: 'link'; inside: Inline[]; address: string }
  | { kind: 'picture'; text: string; address: string }
  | { kind: 'break' };

export type Block =
  | { kind: 'paragraph'; inside: Inline[] }
  | { kind: 'heading'; depth: number; inside: Inline[] }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'quote'; inside: Block[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: Block[][] }
  | { kind: 'table'; head: Cell[]; rows: Cell[][]; moreRows: number }
  | { kind: 'rule' }
  /** Text that is shown unformatted. */
  | { kind: 'plain'; text: string };

interface Cell {
  isRight: boolean;
  inside: Inline[];
}

/** Maximum length; longer text is shown unformatted. */
const MAX_CHARACTERS = 20_000;
const MAX_INLINE = 4_000;
const MAX_MARKS = 120;
const MAX_WORD = 300;
const MAX_LINE = 5_000;
const MAX_ROWS = 50;
const MAX_COLUMNS = 20;
const DEEP = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){7}|^[ \t]{40}/m;
const MARKDOWN =
  /^#{1,6} \S|^ {0,3}```|^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S|^ {0,3}> \S|\*\*[^\s*][^*\n]{0,200}\*\*|`[^`\n]{1,200}`|^ {0,3}\|?[ :-]*-{3}[ :|-]*\|/m;
const SNIFFED = 4_000;

/** Whether formatting would make the text more readable. */
export function looksLikeMarkdown(text: string): boolean {
  return text.length <= MAX_CHARACTERS && MARKDOWN.test(text.slice(0, SNIFFED)) && !isHard(text);
}

/** Whether parsing lines would need too much time or memory. */
function isHard(text: string): boolean {
  return DEEP.test(text) || text.split('\n').some((line) => line.length > MAX_LINE);
}

export function readMarkdown(text: string): Block[] {
  if (text.length > MAX_CHARACTERS || isHard(text)) return [{ kind: 'plain', text }];
  try {
    return blocksOf(new Lexer().blockTokens(text, []));
  } catch {
    return [{ kind: 'plain', text }];
  }
}

const blocksOf = (tokens: readonly Token[]): Block[] => tokens.flatMap((token) => blockOf(token) ?? []);

function blockOf(token: Token): Block | null {
  switch (token.type) {
    case 'space':
      return null;
    case 'hr':
      return { kind: 'rule' };
    case 'heading': {
      const { depth, text } = token as Tokens.Heading;
      return { kind: 'heading', depth, inside: readInline(text) };
    }
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return { kind: 'code', text, language: lang };
    }
    case 'blockquote':
      return { kind: 'quote', inside: blocksOf((token as Tokens.Blockquote).tokens) };
    case 'list':
      return listOf(token as Tokens.List);
    case 'table':
      return tableOf(token as Tokens.Table);
    case 'paragraph':
    case 'text':
      return { kind: 'paragraph', inside: readInline((token as Tokens.Paragraph).text) };
    default:
      return { kind: 'plain', text: token.raw.trimEnd() };
  }
}

function listOf({ ordered, start, items }: Tokens.List): Block {
  return {
    kind: 'list',
    isOrdered: ordered,
    start: typeof start === 'number' ? start : 1,
    items: items.map((item) => {
      const mark = item.task ? [{ kind: 'paragraph' as const, inside: taskMark(item.checked) }] : [];
      return [...mark, ...blocksOf(item.tokens.filter(({ type }) => type !== 'checkbox'))];
    }),
  };
}
const taskMark = (isDone: boolean | undefined): Inline[] => [{ kind: 'text', text: isDone ? '☑' : '☐' }];

function tableOf({ header, rows, align }: Tokens.Table): Block {
  const cells = (line: readonly Tokens.TableCell[]): Cell[] =>
    line
      .slice(0, MAX_COLUMNS)
      .map(({ text }, at) => ({ isRight: align[at] === 'right', inside: readInline(text) }));
  return {
    kind: 'table',
    head: cells(header),
    rows: rows.slice(0, MAX_ROWS).map(cells),
    moreRows: Math.max(0, rows.length - MAX_ROWS),
  };
}

/** Formatting within a line of text. */
function readInline(text: string): Inline[] {
  const marks = text.match(/[*_`~[\]<!\\&]/g)?.length ?? 0;
  if (marks === 0 && !text.includes('\n')) return [{ kind: 'text', text }];
  const isModest = text.length <= MAX_INLINE && marks <= MAX_MARKS && !hasLongWord(text);
  return isModest ? inlinesOf(new Lexer().inlineTokens(text)) : [{ kind: 'text', text }];
}

const hasLongWord = (text: string): boolean => text.split(/\s/).some((word) => word.length > MAX_WORD);
const inlinesOf = (tokens: readonly Token[]): Inline[] => tokens.map(inlineOf);

function inlineOf(token: Token): Inline {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return { kind: token.type, inside: inlinesOf(token.tokens ?? []) };
    case 'codespan':
      return { kind: 'code', text: (token as Tokens.Codespan).text };
    case 'br':
      return { kind: 'break' };
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      return { kind: 'link', inside: inlinesOf(tokens), address: href };
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return { kind: 'picture', text, address: href };
    }
    case 'escape':
      return { kind: 'text', text: (token as Tokens.Escape).text };
    default:
      return { kind: 'text', text: token.raw };
  }
}
