/** Recognizes logs. Their lines are texts, which would be cut wherever they contain a delimiter. Pure. */

const LOGS: readonly (readonly [begins: RegExp, found: string])[] = [
  [
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? +(?:\[[^\]\r\n]*\] +)?\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b[\]: ]/,
    'a log of a program',
  ],
  [/^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:]+: /, 'a log of a system (syslog)'],
  [
    /^\S+ \S+ \S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "/,
    'a log of a web server (Apache, nginx)',
  ],
  [
    /^(?:[A-Za-z_][\w.]*=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s",;]+) ){2,}[A-Za-z_][\w.]*=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s",;]*)[^\S\n]*(?:\r?\n|$)/,
    'a log of names and values (logfmt)',
  ],
];

/** The kind of the log, as a noun; null for any other text. `text`: the beginning of a file. */
export const logOf = (text: string): string | null =>
  LOGS.find(([begins]) => begins.test(text.trimStart()))?.[1] ?? null;
