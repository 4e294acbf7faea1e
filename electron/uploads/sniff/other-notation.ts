/** Recognizes texts in notations that would make a meaningless table if they were read as one. Pure. */
import { ONE_COLUMN } from '../readers/csv-reader.ts';
import { isAlignedTable } from './aligned-table.ts';
import { isBigQueryRow, isBulkRequest, isLog, isSearchHit } from './json-notation.ts';
import { areLabelledLines, markBetweenCells, signBetweenPairs } from './marked-lines.ts';
import { areCards, isRecordList } from './record-list.ts';

interface Notation {
  /** The notation that was found, as a noun. */
  found: string;
  /** A sentence with the next step. */
  next: string;
}

const EXPORT = 'Export it as CSV or JSONL first.';
const YAML: Notation = { found: 'a YAML document', next: EXPORT };
const SQL: Notation = { found: 'SQL statements', next: EXPORT };
/** One comment or run of blanks in JavaScript. Matched one at a time, so that any number of them takes linear time. */
const SCRIPT_GAP = /\s+|\/\/.*|\/\*[\s\S]*?\*\//y;
/** A comment, blanks or a setting before the first SQL statement. */
const SQL_GAP =
  /\s+|--.*|\\restrict .*|\/\*[\s\S]*?\*\/;?|(?:SET |USE |PRAGMA |START |BEGIN|SELECT pg_catalog\.)(?:[^;'"\r\n]|'[^'\r\n]*'|"[^"\r\n]*")*;/iy;
const SCRIPT_OBJECT = /\[?\s*\{/y;
const SCRIPT_KEY = /[A-Za-z_$][\w$]*\s*:/y;
const SQL_STATEMENT = /(?:(?:INSERT\s+INTO|CREATE\s+TABLE|DROP\s+TABLE)\s|COPY\s[^;\r\n]*\sFROM\s+stdin;)/iy;
/** The end of an SQL statement at the end of a line. */
const SQL_LINE = /;[^\S\n]*(?:\r?\n|$)/;
/** A value that the shell of MongoDB writes, such as ObjectId("…"). */
const MONGO_SHELL =
  /^\[?\s*\{\s*"?[\w$.]+"?\s*:\s*(?:ObjectId|ISODate|NumberLong|NumberDecimal|UUID|BinData)\(/;
const PYTHON_DICT = /^\[?\s*\{\s*u?'[^'\r\n]*'\s*:/;
const YAML_LIST =
  /^(?:---[^\S\n]*\r?\n)?(?:#.*\r?\n)*(?:- [\w"' -]+:(?: .*)?\r?\n [\w"' -]+:|[\w-]+:[^\S\n]*\r?\n *- )/;

/** The beginning of JSON rows. A bracket alone is not enough, because a Markdown document may begin with a link. */
const JSON_ROWS = /^(?:\{\s*"|\[\s*\{)/;

/** The line below the header of a Markdown table. */
const MARKDOWN_TABLE = /^[^\S\n]*\|?[^\S\n]*:?-+:?[^\S\n]*\|[-:| \t]*\r?$/m;

/** The frame of a table as MySQL, DuckDB, polars and others print it on a terminal. */
const DRAWN_TABLE = /^(?:shape: \(.*\)\r?\n)?(?:\+[-=]+(?:\+[-=]+)*\+[^\S\n]*\r?\n\||[┌╭╔┏])/;
/** The frame of a list of SAP, which may begin with a title. */
const SAP_LIST =
  /^(?:[^|\r\n]*\r?\n){0,8}?(?<top>-{5,})[^\S\n]*\r?\n\|.*\|[^\S\n]*\r?\n(?<rule>[-|]{5,})[^\S\n]*\r?\n\|/;

/** Server-sent events, as a chat service answers with `stream: true`. */
const EVENT_STREAM = /data: ?(?:\{|\[\s*[{"[])/y;
/** A line before the first data of an event stream, or an empty line. */
const EVENT_GAP = /[ \t]*\r?\n|(?:(?:event|id|retry)?:.*|data: ?(?:\[DONE\])?)\r?\n/y;
/** JSON that a script assigns to a name or passes to a function. */
const SCRIPT_JSON =
  /(?:(?:export\s+default|(?:(?:export\s+)?(?:const|let|var)\s+)?[A-Za-z_$][\w$.]*\s*=(?!=)|[A-Za-z_$][\w$.]*\()\s*(?:\[\s*[[{]|\{\s*(?:["'}]|[A-Za-z_$][\w$]*\s*:)))/y;

const LARGE_FILE_POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\r?\n(?:ext-.*\r?\n)*oid \S+\r?\nsize \d+\s*$/;

/** Beginnings of files that contain no table, or a table in a format of their own. */
const BEGINNINGS: readonly (readonly [begins: RegExp, found: string])[] = [
  [/^(?:%.*\r?\n\s*)*@relation\s/i, 'a file of Weka (ARFF)'],
  [/^\[\[(?!null|true|false)[A-Za-z][\w."-]*\]\][^\S\n]*\r?\n/, 'a TOML document'],
  [/^\[[A-Za-z][\w .-]*\][^\S\n]*\r?\n[\w.-]+[^\S\n]*=/, 'a file of settings (INI)'],
  [/^BEGIN:V(?:CALENDAR|CARD)\b/, 'a calendar or a contact'],
  [/^(?:WEBVTT\b|1\r?\n\d\d:\d\d:\d\d,\d{3} -->)/, 'subtitles'],
  [/^TABLE\r?\n0,1\r?\n"/, 'a sheet in the form DIF'],
  [/^ID;P\w*(?:;[A-Z]\w*)*\r?\n(?:[BCFPOEW];|E\r?\n)/, 'a sheet in the form SYLK'],
  [/^(?:%.*\r?\n\s*)*\\(?:begin|documentclass)\b/, 'a document of LaTeX'],
  [/^(?:(?:From|To|Subject|Date|Received|Return-Path|Delivered-To|Message-ID): .*\r?\n){3}/i, 'an e-mail'],
  // A tag alone on its line above another tag, or in the only line. Texts that contain tags have whole elements in a
  // line.
  [
    /^(?:<\?xml\b|<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?>(?:[^\S\n]*\r?\n\s*<[A-Za-z_!]|\s*<[^\r\n]*<\/\1>\s*$))/,
    'a document of tags (XML or HTML)',
  ],
  [/^\{\\rtf\d/, 'a text in the form RTF'],
  [/^>\S.*\r?\n[A-Za-z*.-]+\r?\n/, 'sequences (FASTA)'],
  [/^@\S.*\r?\n[A-Za-z.]+\r?\n\+/, 'sequences with their quality (FASTQ)'],
  [/^%%MatrixMarket /, 'a matrix (Matrix Market)'],
  [/^#(?:(?:Version|Software|Date): .*\r?\n)(?:#.*\r?\n)*#Fields: /, 'a log of a web server (W3C)'],
  [/^#separator \\x09\r?\n/, 'a log of Zeek'],
  [/^# (?:HELP|TYPE) [\w:]+ .*\r?\n/, 'metrics of Prometheus in the form of text'],
  [
    /^[^\s,="]+(?:,[^\s,="]+=[^\s,="]+)* [^\s,="]+=(?:"[^"\r\n]*"|[^\s,"]+)(?:,[^\s,="]+=(?:"[^"\r\n]*"|[^\s,"]+))* \d{10,19}[^\S\n]*(?:\r?\n|$)/,
    'lines of InfluxDB (line protocol)',
  ],
  [/^\[?\{:[A-Za-z][\w./*+!?-]*\s/, 'data of Clojure (EDN)'],
  [/^\{\|[^\r\n]*\r?\n(?:\|\+|[!|])/, 'a table of a wiki'],
  [/^(?:\[[^\]\r\n]*\]\r?\n)?\|={3,}[^\S\n]*\r?\n/, 'a table of AsciiDoc'],
  [/^\|\|[^|\r\n]+\|\|.*\|\|[^\S\n]*\r?\n\|[^|]/, 'a table of Jira or Confluence'],
  [/^\|_\. .*\|[^\S\n]*\r?\n\|/, 'a table of Textile'],
  [/^(?:FHS|BHS|MSH)\|\^~\\&/, 'messages of HL7'],
  [/^8=FIXT?\.\d/, 'messages of FIX'],
  [/^(?:UNA.{6}\s*)?UNB\+|^UNA.{6}\s*UN[BH]\+|^ISA\*\d\d\*/, 'messages of EDI'],
  [/^(?:[+-]?\d+(?:\.\d+)?(?: \d+:[\d.eE+-]+){2,}[^\S\n]*\r?\n){2}/, 'rows of LIBSVM'],
];

const beginsOtherwise = (text: string): Notation | null => {
  const found = BEGINNINGS.find(([begins]) => begins.test(text))?.[1];
  return found === undefined ? null : { found, next: EXPORT };
};

const SCRIPT: Notation = {
  found: 'JSON inside of a script (JavaScript, JSONP)',
  next: 'Remove the script around the JSON first.',
};

/** Prefixes that APIs write before JSON, so that it cannot be run as a script. */
const GUARD = /(?:\)\]\}',?|while\s*\(1\);|for\s*\(;;\);)\s*[[{]/y;

/** Tests of a text without leading blanks, with the notation that each of them finds. */
const NOTATIONS: readonly (readonly [isFound: (text: string) => boolean, Notation])[] = [
  [
    (text) => PYTHON_DICT.test(text),
    { found: "dicts in Python's notation", next: 'Write them with json.dumps first.' },
  ],
  [
    (text) => MONGO_SHELL.test(text),
    {
      found: 'documents as the shell of MongoDB shows them',
      next: 'Export them with mongoexport first, or write each with EJSON.stringify.',
    },
  ],
  [
    hasBareKey,
    { found: 'objects whose keys have no quotes (JavaScript, JSON5)', next: 'Write them as JSON first.' },
  ],
  [hasCommentBefore, { found: 'JSON with comments', next: 'Remove the comments first.' }],
  [
    (text) => endAt(text, afterAll(text, 0, EVENT_GAP), EVENT_STREAM) !== null,
    {
      found: 'a stream of events (SSE)',
      next: 'Write the JSON behind each “data:” as a line of a .jsonl file first.',
    },
  ],
  [
    isBulkRequest,
    {
      found: 'a bulk request of Elasticsearch, whose lines are actions and documents in turn',
      next: 'Keep the documents alone first: jq -cn "inputs | if .delete then empty elif .update then input | .doc // . else input end" does it.',
    },
  ],
  [
    isSearchHit,
    {
      found: 'documents of Elasticsearch, each under “_source”',
      next: 'Write what is under “_source” as the row first, with the id: jq -c "{_id} + ._source" does it for a document in each line, jq -c ".[] | {_id} + ._source" for one array of documents, jq -c ".hits.hits[] | {_id} + ._source" for an answer of a search.',
    },
  ],
  [
    isBigQueryRow,
    {
      found: 'rows of the interface of BigQuery (f, v), whose cells have no names',
      next: 'Export them with names first: bq query --format=json, or bq extract --destination_format NEWLINE_DELIMITED_JSON.',
    },
  ],
  [
    (text) => endAt(text, 0, GUARD) !== null,
    {
      found: 'JSON behind a guard against scripts, as interfaces answer',
      next: 'Remove what stands before the first bracket.',
    },
  ],
  [
    isLog,
    {
      found: 'a log whose lines have other text before their JSON',
      next: 'Keep the JSON alone first: sed "s/^[^{]*//" does it.',
    },
  ],
  [
    isRecordList,
    {
      found: 'records below each other, a value in each line',
      next: 'Export a table first: mysql writes one with --batch, psql with --csv, sqlite3 and duckdb with .mode csv.',
    },
  ],
  [
    areCards,
    {
      found: 'records below each other, a name and its value in each line',
      next: `Write each record as a row or as a JSON line first, or read each line as one text: ${ONE_COLUMN}.`,
    },
  ],
  [
    (text) => LARGE_FILE_POINTER.test(text),
    {
      found: 'a pointer of Git LFS in place of the file, as a copy of a repository has it',
      next: 'Get the file itself: git lfs pull fetches it.',
    },
  ],
  [(text) => YAML_LIST.test(text), YAML],
  [(text) => endAt(text, afterAll(text, 0, SQL_GAP), SQL_STATEMENT) !== null, SQL],
  [
    (text) => DRAWN_TABLE.test(text) || isSapList(text),
    {
      found: 'a table drawn with lines, as programs show it on a terminal',
      next: 'Export it as CSV or JSONL first; mysql writes a table with tabs with --batch, psql CSV with --csv.',
    },
  ],
  [
    isAlignedTable,
    {
      found: 'a table whose columns are aligned by blanks, as programs print it',
      next: 'Export it as CSV or JSONL first: to_csv in pandas, write.csv in R, .mode csv in sqlite3. If it is one column of texts, say so with --delimiter.',
    },
  ],
];

/** `start`: the beginning of the file, without a byte order mark. Null for tables, JSON and any other text. */
export function otherNotation(file: string, start: string): Notation | null {
  const text = start.trimStart();
  if (/\.sql$/i.test(file) && SQL_LINE.test(text)) return SQL;
  if (/\.ipynb$/i.test(file) && text.startsWith('{')) return { found: 'a notebook', next: EXPORT };
  if (/\.g(?:sheet|doc)$/i.test(file))
    return { found: 'a link to a document of Google', next: 'Download the sheet as CSV first.' };
  if (/\.(?:md|markdown)$/i.test(file) && !MARKDOWN_TABLE.test(text) && !JSON_ROWS.test(text))
    return {
      found: 'a document in Markdown without a table in its first lines',
      next: 'Choose a file with rows, or give it the extension of its format, such as .csv.',
    };
  // JSON is also valid YAML, and is read as JSON.
  if (/\.ya?ml$/i.test(file) && !/^[[{]/.test(text)) return YAML;
  // A column name may look like a script, for example a formula.
  if (!/\.(?:csv|tsv|tab)$/i.test(file) && endAt(text, afterAll(text, 0, SCRIPT_GAP), SCRIPT_JSON) !== null)
    return SCRIPT;
  // Keeps the leading blanks of a printed table, because they align its header.
  const found = NOTATIONS.find(([isFound]) => isFound(isFound === isAlignedTable ? start : text))?.[1];
  return found ?? beginsOtherwise(text) ?? ofMarkedLines(file, text);
}

function ofMarkedLines(file: string, text: string): Notation | null {
  if (areLabelledLines(file, text))
    return {
      found: 'lines of labels and values (LTSV)',
      next: 'Write them as JSON Lines first: mlr --idkvp --ifs tab --ips colon --ojsonl cat does it. To read the cells with their labels, say so (--delimiter tab).',
    };
  const sign = signBetweenPairs(text);
  if (sign !== null)
    return {
      found: 'lines of pairs, a name and its value joined by “=”',
      next: `Write them as JSON Lines first: mlr --idkvp --ifs '${sign === '\t' ? 'tab' : sign}' --ojsonl cat does it. To read each line as one text, say so: ${ONE_COLUMN}.`,
    };
  const mark = markBetweenCells(text);
  return mark === null
    ? null
    : {
        found: `lines whose cells are separated by “${mark}”`,
        next: `A single character can separate cells: replace it by a tab in the whole file first, or read each line as one text: ${ONE_COLUMN}.`,
      };
}

/** True for a list of SAP, and not for a table of Markdown below a heading that is underlined with dashes. */
function isSapList(text: string): boolean {
  const { top = '', rule = '' } = SAP_LIST.exec(text)?.groups ?? {};
  return top !== '' && (!rule.includes('|') || (top.length === rule.length && /^\|-+\|$/.test(rule)));
}

function hasBareKey(text: string): boolean {
  const inside = endAt(text, afterAll(text, 0, SCRIPT_GAP), SCRIPT_OBJECT);
  return inside !== null && endAt(text, afterAll(text, inside, SCRIPT_GAP), SCRIPT_KEY) !== null;
}

function hasCommentBefore(text: string): boolean {
  const start = afterAll(text, 0, SCRIPT_GAP);
  return start > 0 && (text[start] === '[' || text[start] === '{');
}

/** The end of a match that begins at `from`; null if there is none. The pattern is sticky. */
function endAt(text: string, from: number, pattern: RegExp): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** The end of consecutive matches that begin at `from`; `from` if there is none. The pattern is sticky. */
function afterAll(text: string, from: number, pattern: RegExp): number {
  let end = from;
  for (let next = endAt(text, end, pattern); next !== null; next = endAt(text, end, pattern)) end = next;
  return end;
}
