/** Messages for users about errors of the engine in typed SQL. */
import { describe, expect, test } from 'vitest';
import { withAdvice } from '../../electron/analysis/sql-advice.ts';

const COLUMNS = ['id', 'created_at', 'inputs.question', 'inputs.context', 'metadata.inputs.question'].map(
  (name) => ({ view: 'items', name }),
);

/** Returns the message for an error at the word after `|`. */
function advice(sql: string, said: string): string {
  const column = sql.indexOf('|') + 1;
  const place = column === 0 ? null : { line: 1, column };
  return withAdvice({ message: said, place }, sql.replace('|', ''), COLUMNS).message;
}

describe('names with dots', () => {
  const missing = (table: string) => `Referenced table "${table}" not found! Candidate tables: "items"`;

  test.each(['|inputs.question', '|"inputs".question', '|i.inputs.question', '|Inputs.Question'])(
    'without double quotes are found: %s',
    (typed) => {
      expect(advice(`SELECT ${typed} FROM items i`, missing('inputs'))).toMatch(
        /write it in double quotes, "inputs\.question"\.$/,
      );
    },
  );

  test('an unknown one is followed by those that begin alike', () => {
    expect(advice('SELECT |inputs.nothing FROM items', missing('inputs'))).toBe(
      'There is no table inputs. Columns that begin with it: "inputs.question", "inputs.context". Write their names in double quotes.',
    );
  });

  test('an unknown one after the short name of a table is a column', () => {
    const said = 'Values list "i" does not have a column named "foo"';
    expect(advice('SELECT |i.foo FROM items i', said)).toBe(
      'i has no column foo. For the columns: DESCRIBE SELECT * FROM items.',
    );
  });

  test('the last part alone, or the first, leads to the whole names', () => {
    const unknown = (name: string) => `Referenced column "${name}" not found in FROM clause!`;
    expect(advice('SELECT |question FROM items', unknown('question'))).toBe(
      'There is no column question. Did you mean "inputs.question", "metadata.inputs.question"?',
    );
    expect(advice('SELECT |inputs FROM items', unknown('inputs'))).toMatch(
      /^There is no column inputs\. There are "inputs\.question", "inputs\.context"\. Write/,
    );
  });
});

test('a text in double quotes is not a name', () => {
  const said = 'Referenced column "refund" not found in FROM clause!';
  expect(advice('SELECT id FROM items WHERE id = |"refund"', said)).toBe(
    "There is no column refund. Double quotes are for names; a text is written in single quotes: 'refund'.",
  );
  expect(advice('SELECT id FROM items WHERE id = |refund', said)).toContain(
    "write 'refund' in single quotes",
  );
});

test('a misspelled name is corrected', () => {
  const said = 'Referenced column "creatd_at" not found in FROM clause! Candidate bindings: "as_of"';
  expect(advice('SELECT |creatd_at FROM items', said)).toBe(
    'There is no column creatd_at. Did you mean created_at?',
  );
  expect(
    advice('SELECT |cuont(id)', 'Scalar Function with name cuont does not exist! Did you mean "count"?'),
  ).toBe('There is no function cuont. Did you mean count?');
});

test('a word of a name leads to it', () => {
  const said = 'Referenced column "created" not found in FROM clause!';
  expect(advice('SELECT |created FROM items', said)).toBe(
    'There is no column created. Did you mean created_at?',
  );
});

test('types that do not fit are named with the conversion, without the list of all signatures', () => {
  const said = (call: string) =>
    `No function matches the given name and argument types '${call}'. You might need to add explicit type casts. Candidate functions: avg(DECIMAL) -> DECIMAL`;
  expect(advice('SELECT |avg(id)', said('avg(VARCHAR)'))).toMatch(
    /^avg cannot take VARCHAR\. VARCHAR is text\. Convert it: TRY_CAST\(… AS DOUBLE\)/,
  );
  expect(advice('SELECT |avg(x)', said('avg(JSON)'))).toContain('more digits than DOUBLE holds');
  expect(advice('SELECT a |+ 1', said('+(DECIMAL(18,3), INTEGER_LITERAL)'))).toMatch(
    /^\+ cannot take DECIMAL\(18,3\) and INTEGER\. /,
  );
});

test('times are shown as they are written', () => {
  expect(
    advice(
      'SELECT 1 WHERE created_at |> 5',
      'Cannot compare values of type TIMESTAMP WITH TIME ZONE and type INTEGER_LITERAL - an explicit cast is required',
    ),
  ).toMatch(/^Cannot compare TIMESTAMP WITH TIME ZONE with INTEGER\. Write a time as a text/);
  expect(
    advice(
      "SELECT 1 WHERE created_at > |'yesterday'",
      'invalid timestamp field format: "yesterday", expected format is (YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE])',
    ),
  ).toMatch(/^'yesterday' is not a time\. Write it as '2026-05-01'/);
});

test('an error of another kind keeps the message of the engine', () => {
  expect(advice('|SELCT 1', 'syntax error at or near "SELCT"')).toBe('syntax error at or near "SELCT"');
});
